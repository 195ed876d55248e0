import { isFieldSet, maximumEdition, minimumEdition } from '@bufbuild/protobuf';
import {
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { declarationsOf, joined, withoutDot } from './declarations.ts';

export const fileNameLengthMax = 1024;
const fieldNumberMax = 536_870_911;

/** What is wrong with a file by itself: its name, the names in it, and its numbers. One sentence each. */
export function fileProblems(proto: FileDescriptorProto): string[] {
  const problems: string[] = [];
  if (!isFileName(proto.name))
    problems.push(`the file name ${JSON.stringify(proto.name.slice(0, 100))} is not a relative path`);
  if (proto.package !== '' && !proto.package.split('.').every(isIdentifier))
    problems.push(badName('package', proto.package));
  if (!isSupportedSyntax(proto))
    problems.push(`syntax ${JSON.stringify(proto.syntax)} edition ${proto.edition} is not supported`);
  const badPublic = proto.publicDependency.find((index) => proto.dependency[index] === undefined);
  if (badPublic !== undefined) problems.push(`public import ${badPublic} is not among its imports`);
  for (const type of proto.enumType) checkEnum(proto.package, type, problems);
  for (const message of proto.messageType) checkMessage(proto.package, message, problems);
  for (const extension of proto.extension) checkField(proto.package, extension, problems);
  for (const service of proto.service) checkService(proto.package, service, problems);
  return problems;
}

/** Names are looked up by equality and never opened as paths; a name that climbs is refused all the same. */
export function isFileName(name: string): boolean {
  if (name === '' || name.length > fileNameLengthMax || name.startsWith('/') || name.includes('\0'))
    return false;
  return !name.split(/[/\\]/).includes('..');
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name);
}

function badName(kind: string, name: string): string {
  return `${kind} name ${JSON.stringify(name.slice(0, 100))} is not an identifier`;
}

function isSupportedSyntax(proto: FileDescriptorProto): boolean {
  if (proto.syntax !== 'editions') return ['', 'proto2', 'proto3'].includes(proto.syntax);
  return proto.edition >= minimumEdition && proto.edition <= maximumEdition;
}

function checkMessage(scope: string, message: DescriptorProto, problems: string[]): void {
  if (!isIdentifier(message.name)) problems.push(badName('message', message.name));
  const name = joined(scope, message.name);
  checkUnique('field', name, message.field, problems);
  for (const field of message.field) checkField(name, field, problems);
  for (const extension of message.extension) checkField(name, extension, problems);
  for (const oneof of message.oneofDecl)
    if (!isIdentifier(oneof.name)) problems.push(badName('oneof', oneof.name));
  const lost = message.field.find((field) => isInOneof(field) && !fitsOneof(field, message));
  if (lost !== undefined)
    problems.push(`field ${name}.${lost.name} does not fit oneof ${lost.oneofIndex} of ${name}`);
  if (message.options?.mapEntry === true && !isMapEntry(message))
    problems.push(`${name} is not a map entry, but says so`);
  checkScope(name, message, problems);
  for (const type of message.enumType) checkEnum(name, type, problems);
  for (const nested of message.nestedType) checkMessage(name, nested, problems);
}

// Fields are compared among themselves already.
function checkScope(name: string, message: DescriptorProto, problems: string[]): void {
  const types = [
    ...message.nestedType,
    ...message.enumType,
    ...message.enumType.flatMap((type) => type.value),
  ];
  const names = new Set(message.field.map((field) => field.name));
  for (const part of [...message.extension, ...message.oneofDecl, ...types]) {
    if (names.has(part.name)) problems.push(`${name} has two things named ${part.name}`);
    names.add(part.name);
  }
}

function isInOneof(field: FieldDescriptorProto): boolean {
  return isFieldSet(field, FieldDescriptorProtoSchema.field.oneofIndex);
}

function fitsOneof(field: FieldDescriptorProto, message: DescriptorProto): boolean {
  return field.label !== Label.REPEATED && message.oneofDecl[field.oneofIndex] !== undefined;
}

function checkUnique(
  kind: string,
  name: string,
  items: readonly { readonly name: string; readonly number: number }[],
  problems: string[],
): void {
  const names = new Set<string>();
  const numbers = new Set<number>();
  for (const item of items) {
    if (names.has(item.name)) problems.push(`${name} has two ${kind}s named ${item.name}`);
    if (numbers.has(item.number)) problems.push(`${name} has two ${kind}s numbered ${item.number}`);
    names.add(item.name);
    numbers.add(item.number);
  }
}

function isMapEntry(message: DescriptorProto): boolean {
  const [key, value] = message.field;
  if (message.field.length !== 2 || key === undefined || value === undefined) return false;
  if (key.number !== 1 || value.number !== 2) return false;
  if (key.label === Label.REPEATED || value.label === Label.REPEATED) return false;
  const badKeys: readonly Type[] = [Type.FLOAT, Type.DOUBLE, Type.BYTES, Type.ENUM, Type.MESSAGE, Type.GROUP];
  return !badKeys.includes(key.type);
}

function checkField(scope: string, field: FieldDescriptorProto, problems: string[]): void {
  if (!isIdentifier(field.name)) problems.push(badName('field', field.name));
  const name = joined(scope, field.name);
  if (field.number < 1 || field.number > fieldNumberMax)
    problems.push(`field ${name} has the number ${field.number}`);
  if (Type[field.type] === undefined) problems.push(`field ${name} has no type`);
  if (Label[field.label] === undefined) problems.push(`field ${name} has no label`);
}

function checkEnum(scope: string, type: EnumDescriptorProto, problems: string[]): void {
  const name = joined(scope, type.name);
  if (!isIdentifier(type.name)) problems.push(badName('enum', type.name));
  if (type.value.length === 0) problems.push(`enum ${name} has no values`);
  for (const value of type.value)
    if (!isIdentifier(value.name)) problems.push(badName('enum value', value.name));
}

function checkService(
  scope: string,
  service: FileDescriptorProto['service'][number],
  problems: string[],
): void {
  const name = joined(scope, service.name);
  if (!isIdentifier(service.name)) problems.push(badName('service', service.name));
  const names = new Set<string>();
  for (const method of service.method) {
    if (!isIdentifier(method.name)) problems.push(badName('method', method.name));
    if (names.has(method.name)) problems.push(`${name} has two methods named ${method.name}`);
    names.add(method.name);
  }
}

/** The file that defines a name, if the asking file imports it. */
export type VisibleFile = (name: string) => FileDescriptorProto | undefined;

/** Which names of types a checked file uses that are not there, not imported, or of another kind. */
export function referenceProblems(proto: FileDescriptorProto, visible: VisibleFile): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const refer = (from: string, typeName: string, wanted: 'message' | 'enum', mayBeMap: boolean): void => {
    const name = withoutDot(typeName);
    const key = `${wanted} ${mayBeMap} ${name}`;
    if (seen.has(key)) return;
    const problem = referenceProblem(proto, visible, name, wanted, mayBeMap);
    if (problem === undefined) seen.add(key);
    else problems.push(`${from} ${problem}`);
  };
  eachField(proto.package, proto, (name, field, isExtension) => {
    if (isExtension) refer(name, field.extendee, 'message', false);
    if (field.type === Type.ENUM) refer(name, field.typeName, 'enum', false);
    const isMessage = field.type === Type.MESSAGE || field.type === Type.GROUP;
    const mayBeMap = field.label === Label.REPEATED && !isExtension;
    if (isMessage) refer(name, field.typeName, 'message', mayBeMap);
  });
  for (const service of proto.service) {
    for (const method of service.method) {
      const name = joined(joined(proto.package, service.name), method.name);
      refer(name, method.inputType, 'message', false);
      refer(name, method.outputType, 'message', false);
    }
  }
  return problems;
}

function referenceProblem(
  proto: FileDescriptorProto,
  visible: VisibleFile,
  name: string,
  wanted: 'message' | 'enum',
  mayBeMap: boolean,
): string | undefined {
  const file = visible(name);
  const kind = file === undefined ? undefined : declarationsOf(file).types.get(name);
  if (kind === undefined) return `refers to ${name}, which is neither in the file nor in its imports`;
  if (kind === wanted) return undefined;
  if (kind === 'map entry' && wanted === 'message' && mayBeMap && file === proto) return undefined;
  return `refers to ${name} as a ${wanted}, but it is a ${kind}`;
}

function eachField(
  scope: string,
  holder: FileDescriptorProto | DescriptorProto,
  visit: (name: string, field: FieldDescriptorProto, isExtension: boolean) => void,
): void {
  for (const extension of holder.extension) visit(joined(scope, extension.name), extension, true);
  if ('field' in holder) for (const field of holder.field) visit(joined(scope, field.name), field, false);
  for (const message of 'messageType' in holder ? holder.messageType : holder.nestedType) {
    eachField(joined(scope, message.name), message, visit);
  }
}
