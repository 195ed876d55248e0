import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { Map } from 'immutable';
import { equalBytes, noBytes } from '../../../kernel/bytes.ts';
import type { Violation } from '../events.ts';
import type { DescriptorFile } from './descriptor-file.ts';
import { builtInFiles } from './well-known.ts';

/** Files in one set; the largest public collections have about ten thousand. */
export const descriptorFilesMax = 100_000;

export interface EncodedFile {
  readonly proto: FileDescriptorProto;
  readonly bytes: Uint8Array;
}

export type DecodedSet =
  | { readonly ok: true; readonly files: readonly EncodedFile[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * The files of an encoded `FileDescriptorSet` that differ from the known ones. Of a file given twice, both must be
 * equal. Files that are pinned are left out.
 */
export function filesOfSet(set: Uint8Array, known: Map<string, Uint8Array>): DecodedSet {
  const violations: Violation[] = [];
  const files = new globalThis.Map<string, EncodedFile>();
  for (const bytes of encodedFiles(set, violations)) {
    if (isKnown(known, bytes)) continue;
    const proto = decodedFile(bytes, violations);
    const before = proto === undefined ? undefined : files.get(proto.name);
    if (proto === undefined || builtInFiles().get(proto.name)?.pinned === true) continue;
    if (equalBytes(known.get(proto.name) ?? noBytes, bytes)) continue;
    if (before !== undefined && !equalBytes(before.bytes, bytes)) {
      violations.push({
        pointer: '',
        file: proto.name,
        message: 'is in the set twice, with different content',
      });
    }
    files.set(proto.name, { proto, bytes });
  }
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, files: [...files.values()] };
}

function isKnown(known: Map<string, Uint8Array>, bytes: Uint8Array): boolean {
  const before = known.get(leadingName(bytes));
  return before !== undefined && equalBytes(before, bytes);
}

// Compilers write the name first. A file that does not begin with its name is decoded, and found equal or not later.
function leadingName(bytes: Uint8Array): string {
  try {
    const reader = new BinaryReader(bytes);
    const [number, wireType] = reader.tag();
    return number === 1 && wireType === WireType.LengthDelimited ? reader.string() : '';
  } catch {
    return '';
  }
}

// The parts are kept as they came: what reflection serves is what was loaded, to the byte.
function encodedFiles(set: Uint8Array, violations: Violation[]): Uint8Array[] {
  const files: Uint8Array[] = [];
  const refuse = (problem: string): Uint8Array[] => {
    violations.push({ pointer: '', message: `is not a google.protobuf.FileDescriptorSet: ${problem}` });
    return [];
  };
  try {
    const reader = new BinaryReader(set);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 1 && wireType === WireType.LengthDelimited) files.push(reader.bytes());
      else reader.skip(wireType, number);
    }
  } catch (problem) {
    return refuse(problemText(problem));
  }
  if (files.length > descriptorFilesMax)
    return refuse(`it has ${files.length} files, more than ${descriptorFilesMax}`);
  return files;
}

function decodedFile(bytes: Uint8Array, violations: Violation[]): FileDescriptorProto | undefined {
  try {
    return fromBinary(FileDescriptorProtoSchema, bytes);
  } catch (problem) {
    violations.push({ pointer: '', message: `holds a file that does not decode: ${problemText(problem)}` });
    return undefined;
  }
}

function problemText(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

const bytesOfBuiltIn = new WeakMap<DescriptorFile, Uint8Array>();

/** The encoded `FileDescriptorProto` of a file that was not loaded. */
export function bytesOfFile(file: DescriptorFile): Uint8Array {
  let bytes = bytesOfBuiltIn.get(file);
  if (bytes === undefined) {
    bytes = toBinary(FileDescriptorProtoSchema, file.proto);
    bytesOfBuiltIn.set(file, bytes);
  }
  return bytes;
}

/** Those of `files` that have bytes, as one encoded `FileDescriptorSet`, no file before its imports. */
export function encodedSet(files: Map<string, DescriptorFile>, bytes: Map<string, Uint8Array>): Uint8Array {
  const writer = new BinaryWriter();
  const names = [...files.keys()].sort();
  for (const file of importsFirst(names.flatMap((name) => files.get(name) ?? []))) {
    const encoded = bytes.get(file.name);
    if (encoded !== undefined) writer.tag(1, WireType.LengthDelimited).bytes(encoded);
  }
  return writer.finish();
}

/** The files with all that they import, no file before its imports. */
export function importsFirst(files: readonly DescriptorFile[]): readonly DescriptorFile[] {
  const done = new Set<DescriptorFile>();
  const pending = [...files].reverse();
  for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
    const missing = done.has(next) ? [] : next.dependencies.filter((dependency) => !done.has(dependency));
    pending.push(...missing.reverse());
    if (missing.length > 0) continue;
    done.add(next);
    pending.pop();
  }
  return [...done];
}
