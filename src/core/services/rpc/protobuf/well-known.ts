import { fromBinary, type DescFile } from '@bufbuild/protobuf';
import {
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_compiler_plugin,
  file_google_protobuf_cpp_features,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_go_features,
  file_google_protobuf_java_features,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { fromBase64 } from '../../../kernel/bytes.ts';
import { presetDesc, type DescriptorFile } from './descriptor-file.ts';
import { wellKnownSet } from './well-known-set.ts';

// Those that the codec relies on, and those that @bufbuild/protobuf relies on: no other content will do.
const shipped: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  file_google_protobuf_type,
  file_google_protobuf_api,
  file_google_protobuf_compiler_plugin,
  file_google_protobuf_cpp_features,
  file_google_protobuf_java_features,
  file_google_protobuf_go_features,
];

let known: ReadonlyMap<string, DescriptorFile> | undefined;

/**
 * The files that are known without being given, by name; no file stands before its imports. They are
 * `google/protobuf/*`, `google/rpc/{code,error_details,http,status}`, `google/type/*`, `grpc.health.v1` and
 * `grpc.reflection.{v1,v1alpha}`.
 */
export function builtInFiles(): ReadonlyMap<string, DescriptorFile> {
  known ??= readBuiltIn();
  return known;
}

function readBuiltIn(): ReadonlyMap<string, DescriptorFile> {
  const files = new Map<string, DescriptorFile>();
  for (const desc of shipped) {
    const file = { ...linked(desc.proto, files), pinned: true };
    files.set(file.name, presetDesc(file, desc));
  }
  for (const proto of fromBinary(FileDescriptorSetSchema, fromBase64(wellKnownSet)).file) {
    files.set(proto.name, linked(proto, files));
  }
  return files;
}

function linked(proto: DescFile['proto'], files: ReadonlyMap<string, DescriptorFile>): DescriptorFile {
  const dependencies = proto.dependency.map((name) => {
    const dependency = files.get(name);
    if (dependency === undefined) throw new Error(`${proto.name} stands before its import ${name}`);
    return dependency;
  });
  return { name: proto.name, proto, dependencies, builtIn: true, pinned: false };
}
