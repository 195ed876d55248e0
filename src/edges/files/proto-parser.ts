import { create } from '@bufbuild/protobuf';
import {
  Edition,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
  ServiceDescriptorProtoSchema,
  ServiceOptionsSchema,
  type MethodDescriptorProto,
  type ServiceDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { parseEnum, parseExtend, parseMessage } from './proto-type-parser.ts';
import { parseName, parseString, parseTypeName, type ParsedOption } from './proto-option-parser.ts';
import {
  declare,
  joined,
  parseOptionStatement,
  parseVisibility,
  pend,
  type ParsedProto,
  type Parsing,
} from './proto-parsing.ts';
import { ProtoSyntaxError, ProtoTokens } from './proto-tokens.ts';

/** Parses the text of a file; throws a `ProtoSyntaxError`. Grammar: https://protobuf.com/docs/language-spec */
export function parseProto(name: string, source: string): ParsedProto {
  const parsing: Parsing = {
    tokens: new ProtoTokens(source),
    file: create(FileDescriptorProtoSchema, { name }),
    imports: [],
    references: [],
    options: [],
    declarations: [],
  };
  parseSyntax(parsing);
  const options: ParsedOption[] = [];
  while (parsing.tokens.kind !== 'end') parseTopLevel(parsing, options);
  pend(parsing, parsing.file.package, FileOptionsSchema, parsing.file, options);
  return { proto: parsing.file, ...parsing };
}

const editions: ReadonlyMap<string, Edition> = new Map([
  ['2023', Edition.EDITION_2023],
  ['2024', Edition.EDITION_2024],
]);

function parseSyntax({ tokens, file }: Parsing): void {
  const isEdition = tokens.is('edition');
  if (!isEdition && !tokens.is('syntax')) return;
  tokens.advance();
  tokens.expect('=');
  const { line } = tokens;
  const value = Buffer.from(parseString(tokens)).toString();
  const edition = editions.get(value);
  if (isEdition && edition !== undefined) Object.assign(file, { syntax: 'editions', edition });
  else if (!isEdition && value === 'proto3') file.syntax = 'proto3';
  else if (isEdition) throw new ProtoSyntaxError(line, `expected edition "2023" or "2024", got "${value}"`);
  else if (value !== 'proto2')
    throw new ProtoSyntaxError(line, `expected syntax "proto2" or "proto3", got "${value}"`);
  tokens.expect(';');
}

function parseTopLevel(parsing: Parsing, options: ParsedOption[]): void {
  const { tokens } = parsing;
  const { line } = tokens;
  if (tokens.skip(';') || parseOptionStatement(parsing, options)) return;
  if (tokens.skip('import')) parseImport(parsing, line);
  else if (tokens.skip('package')) parsePackage(parsing);
  else parseDefinition(parsing, line);
}

function parseImport({ tokens, file, imports }: Parsing, line: number): void {
  const isPublic = tokens.skip('public');
  const isWeak = !isPublic && tokens.skip('weak');
  const isOption = !isPublic && !isWeak && file.edition >= Edition.EDITION_2024 && tokens.skip('option');
  const name = Buffer.from(parseString(tokens)).toString();
  tokens.expect(';');
  if (imports.some((other) => other.name === name))
    throw new ProtoSyntaxError(line, `${name} is imported twice`);
  imports.push({ name, line, isOption });
  if (isPublic) file.publicDependency.push(file.dependency.length);
  if (isWeak) file.weakDependency.push(file.dependency.length);
  (isOption ? file.optionDependency : file.dependency).push(name);
}

function parsePackage({ tokens, file, declarations }: Parsing): void {
  const { line } = tokens;
  const name = parseTypeName(tokens, 'the name of a package');
  tokens.expect(';');
  if (file.package !== '') throw new ProtoSyntaxError(line, 'the file has a package already');
  if (name.startsWith('.')) throw new ProtoSyntaxError(line, `a package cannot be named ${name}`);
  // Names are made from the package as they are met.
  if (declarations.length > 0)
    throw new ProtoSyntaxError(line, 'the package must stand before what is defined');
  file.package = name;
}

function parseDefinition(parsing: Parsing, line: number): void {
  const { tokens, file } = parsing;
  if (tokens.skip('extend')) {
    for (const { name } of parseExtend(parsing, file.package, file, 0))
      declare(parsing, file.package, name, line);
    return;
  }
  const visibility = parseVisibility(parsing);
  if (tokens.skip('message')) {
    const message = parseMessage(parsing, file.package, visibility, 1);
    file.messageType.push(message);
    declare(parsing, file.package, message.name, line);
  } else if (tokens.skip('enum')) {
    const type = parseEnum(parsing, file.package, visibility);
    file.enumType.push(type);
    for (const { name } of [type, ...type.value]) declare(parsing, file.package, name, line);
  } else if (visibility === undefined && tokens.skip('service')) {
    const service = parseService(parsing);
    file.service.push(service);
    declare(parsing, file.package, service.name, line);
  } else {
    throw tokens.unexpected('message, enum, service, extend, import, package or option');
  }
}

function parseService(parsing: Parsing): ServiceDescriptorProto {
  const { tokens, file } = parsing;
  const service = create(ServiceDescriptorProtoSchema, { name: parseName(tokens, 'the name of a service') });
  const scope = joined(file.package, service.name);
  const options: ParsedOption[] = [];
  tokens.expect('{');
  while (!tokens.skip('}')) {
    if (tokens.skip(';') || parseOptionStatement(parsing, options)) continue;
    if (!tokens.skip('rpc')) throw tokens.unexpected('rpc or option');
    service.method.push(parseMethod(parsing, scope));
  }
  pend(parsing, scope, ServiceOptionsSchema, service, options);
  return service;
}

function parseMethod(parsing: Parsing, scope: string): MethodDescriptorProto {
  const { tokens } = parsing;
  const method = create(MethodDescriptorProtoSchema, { name: parseName(tokens, 'the name of a method') });
  if (parseMethodType(parsing, scope, method, 'inputType')) method.clientStreaming = true;
  tokens.expect('returns');
  if (parseMethodType(parsing, scope, method, 'outputType')) method.serverStreaming = true;
  const options: ParsedOption[] = [];
  if (tokens.skip('{')) {
    while (!tokens.skip('}')) {
      if (!tokens.skip(';') && !parseOptionStatement(parsing, options)) throw tokens.unexpected('option');
    }
  } else {
    tokens.expect(';');
  }
  pend(parsing, scope, MethodOptionsSchema, method, options);
  return method;
}

/** True when it is a stream. */
function parseMethodType(
  parsing: Parsing,
  scope: string,
  holder: MethodDescriptorProto,
  property: 'inputType' | 'outputType',
): boolean {
  const { tokens } = parsing;
  tokens.expect('(');
  const isStream = tokens.skip('stream');
  const { line } = tokens;
  parsing.references.push({ scope, text: parseTypeName(tokens), line, holder, property });
  tokens.expect(')');
  return isStream;
}
