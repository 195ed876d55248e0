import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProto } from '../../../src/edges/files/proto-parser.ts';
import { ProtoSyntaxError } from '../../../src/edges/files/proto-tokens.ts';

const folder = fileURLToPath(new URL('protos/tricky/base/', import.meta.url));
const sources = readdirSync(folder).map((name) => readFileSync(`${folder}${name}`, 'utf8'));

/** The problem of a text, with its line; nothing but a `ProtoSyntaxError` may come out. */
function problem(source: string): string | undefined {
  try {
    toBinary(FileDescriptorProtoSchema, parseProto('x.proto', source).proto);
    return undefined;
  } catch (error) {
    if (error instanceof ProtoSyntaxError) return `${error.line}: ${error.message}`;
    throw error;
  }
}

function isProblem(text: string | undefined): boolean {
  return text === undefined || /^\d+: /.test(text);
}

describe('the parser', () => {
  it('says what is wrong with any text, and never throws otherwise', () => {
    const words = fc.constantFrom(
      ...'message enum service rpc option oneof map extend reserved group syntax A string 1 0x1 1.5'.split(
        ' ',
      ),
      ...'{ } ( ) [ ] < > = ; , . - "a" \''.split(' '),
      '\n',
    );
    const soup = fc.array(words).map((tokens) => tokens.join(' '));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string(), fc.string({ unit: 'binary' })), (source) => {
        expect(problem(source)).toSatisfy(isProblem);
      }),
      { numRuns: 2000 },
    );
  });

  it('says what is wrong with a file that was cut or changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.nat(),
        fc.nat(20),
        fc.string({ maxLength: 3 }),
        (source, at, length, text) => {
          const start = at % source.length;
          const changed = source.slice(0, start) + text + source.slice(start + length);
          expect([problem(changed), problem(source.slice(0, start))]).toSatisfy((texts: string[]) =>
            texts.every(isProblem),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each<[string, string]>([
    ['syntax = "proto4";', '1: expected syntax "proto2" or "proto3", got "proto4"'],
    ['edition = "2022";', '1: expected edition "2023" or "2024", got "2022"'],
    ['message A {\n optional string a = 1;\n', '3: expected a field, got the end of the file'],
    ['syntax = "proto3";\n/* no end', '2: a comment has no end'],
    ['option java_package = "x\n";', '1: a string has no end on its line'],
    ['syntax = "proto3"; message A { string a = 1a; }', '1: 1… is not a number'],
    ['syntax = "proto3"; message A { string a = 08; }', '1: 08 is not an octal number'],
    ['syntax = "proto3"; message A { string a = 0; }', '1: expected the number of a field, got "0"'],
    ['message A { string a = 1; }', '1: expected optional, required or repeated before "string"'],
    ['syntax = "proto3"; message A { required string a = 1; }', '1: required cannot be here'],
    ['edition = "2023"; message A { optional string a = 1; }', '1: optional cannot be here'],
    ['syntax = "proto3"; message A { repeated map<string, A> a = 1; }', '1: a map cannot be here'],
    ['syntax = "proto3"; message A { map<double, A> a = 1; }', '1: double cannot be the type of a key'],
    ['message A { optional int32 a = 1 [default = "x"]; }', '1: the default of a does not fit its type'],
    ['option a = "\\q";', '1: the escape \\q is not known'],
    ['package a;\npackage b;', '2: the file has a package already'],
    ['import "a.proto";\nimport "a.proto";', '2: a.proto is imported twice'],
    ['service S { rpc M(A) returns; }', '1: expected "(", got ";"'],
    ['nonsense', '1: expected message, enum, service, extend, import, package or option, got "nonsense"'],
  ])('says of %j: %s', (source, expected) => {
    expect(problem(source)).toBe(expected);
  });

  it('does not overflow the stack, however deep', () => {
    expect(problem(`syntax = "proto3"; ${'message A { '.repeat(10_000)}`)).toContain(
      'messages nest deeper than',
    );
    expect(problem(`option (a) = ${'{ a: '.repeat(10_000)}`)).toContain('a value nests deeper than');
    expect(problem(`option (a) = { a: ${'[{ a: '.repeat(10_000)}`)).toContain('a value nests deeper than');
    expect(
      problem(`message A { optional group G = 1 { ${'optional group G = 1 { '.repeat(10_000)}`),
    ).toContain('messages nest deeper than');
  });

  it('takes a large file in one go', () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `string field_${index} = ${index + 1};`).join(
      '\n',
    );
    expect(
      parseProto('x.proto', `syntax = "proto3"; message A { ${fields} }`).proto.messageType[0]?.field,
    ).toHaveLength(20_000);
  });
});
