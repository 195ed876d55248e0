import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { ProtoProblem } from './proto-linker.ts';

/** True for the name of a file that holds an encoded `google.protobuf.FileDescriptorSet`. */
export function isDescriptorSet(path: string): boolean {
  return /\.(?:pb|binpb|protoset|desc)$/.test(path);
}

export type SetRead =
  | { readonly ok: true; readonly files: readonly FileDescriptorProto[] }
  | { readonly ok: false; readonly problem: ProtoProblem };

export function readDescriptorSet(path: string): SetRead {
  try {
    const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(path));
    // Any bytes without a file in them would pass as an empty set.
    const [first] = file;
    if (first === undefined || first.name === '') return refused(path, 'holds no files');
    return { ok: true, files: file };
  } catch (problem) {
    return refused(path, problem instanceof Error ? problem.message : String(problem));
  }
}

function refused(path: string, reason: string): SetRead {
  return {
    ok: false,
    problem: { file: path, message: `is not a google.protobuf.FileDescriptorSet: ${reason}` },
  };
}
