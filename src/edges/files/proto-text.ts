import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Descriptors } from '../../core/services/rpc/descriptors.ts';
import { linkProtos, type ProtoProblem } from './proto-linker.ts';
import { parseProto } from './proto-parser.ts';
import type { ParsedProto } from './proto-parsing.ts';
import { knownFile } from './proto-reading.ts';
import type { SymbolFile } from './proto-symbols.ts';
import { ProtoSyntaxError } from './proto-tokens.ts';

/**
 * The text of one `.proto` file, whose imports are known, as an encoded `FileDescriptorSet` of that file. `fileName` is the
 * name that others import it by. Throws an `Error` that lists every problem with its line.
 */
export function compileProto(source: string, fileName: string, known: Descriptors): Uint8Array {
  const parsed = parsedText(source, fileName);
  const others = new Map(Array.from(known.index.files.values(), ({ proto }) => [proto.name, proto] as const));
  others.delete(fileName);
  const lost = parsed.imports.filter(({ name }) => !others.has(name));
  refuse(
    lost.map(({ name, line }) => ({ file: fileName, line, message: `imports ${name}, which is not loaded` })),
  );
  const imported = (isOption: boolean): SymbolFile[] =>
    parsed.imports.flatMap((one) => {
      const proto = one.isOption === isOption ? others.get(one.name) : undefined;
      return proto === undefined ? [] : [knownFile(proto, others)];
    });
  const file = {
    path: fileName,
    proto: parsed.proto,
    parsed,
    dependencies: imported(false),
    optionDependencies: imported(true),
  };
  refuse(linkProtos([file], [...others.values()]));
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [parsed.proto] }));
}

function parsedText(source: string, fileName: string): ParsedProto {
  try {
    const parsed = parseProto(fileName, source);
    const named = (isOption: boolean) =>
      parsed.imports.filter((one) => one.isOption === isOption).map(({ name }) => name);
    parsed.proto.dependency = named(false);
    parsed.proto.optionDependency = named(true);
    return parsed;
  } catch (error) {
    if (!(error instanceof ProtoSyntaxError)) throw error;
    throw new Error(`${fileName}:${error.line}: ${error.message}`, { cause: error });
  }
}

function refuse(problems: readonly ProtoProblem[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ file, line, message }) => `${line === undefined ? file : `${file}:${line}`}: ${message}`,
  );
  throw new Error(lines.join('\n'));
}
