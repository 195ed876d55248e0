import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';

/** What a file says it defines, by full name. */
export interface Declarations {
  /** Messages, enums, values of enums, extensions and services at the top of the file. */
  readonly topLevel: readonly string[];
  /** Messages and enums at every depth. */
  readonly types: ReadonlyMap<string, 'message' | 'enum' | 'map entry'>;
  readonly services: readonly string[];
  readonly extensions: readonly {
    readonly extendee: string;
    readonly number: number;
    readonly name: string;
  }[];
}

const known = new WeakMap<FileDescriptorProto, Declarations>();

export function declarationsOf(proto: FileDescriptorProto): Declarations {
  let declarations = known.get(proto);
  if (declarations === undefined) {
    declarations = declare(proto);
    known.set(proto, declarations);
  }
  return declarations;
}

function declare(proto: FileDescriptorProto): Declarations {
  const scope = proto.package;
  const types = new Map<string, 'message' | 'enum' | 'map entry'>();
  const extensions: Declarations['extensions'][number][] = [];
  declareTypes(scope, proto, types, extensions);
  const services = proto.service.map((service) => joined(scope, service.name));
  const topLevel = [
    ...proto.messageType.map((message) => joined(scope, message.name)),
    ...proto.enumType.flatMap((type) => enumSymbols(scope, type)),
    ...proto.extension.map((extension) => joined(scope, extension.name)),
    ...services,
  ];
  return { topLevel, types, services, extensions };
}

interface TypeHolder {
  readonly enumType: readonly EnumDescriptorProto[];
  readonly extension: readonly FieldDescriptorProto[];
  readonly messageType?: readonly DescriptorProto[];
  readonly nestedType?: readonly DescriptorProto[];
}

function declareTypes(
  scope: string,
  holder: TypeHolder,
  types: Map<string, 'message' | 'enum' | 'map entry'>,
  extensions: Declarations['extensions'][number][],
): void {
  for (const { name } of holder.enumType) types.set(joined(scope, name), 'enum');
  for (const { extendee, number, name } of holder.extension) {
    extensions.push({ extendee: withoutDot(extendee), number, name: joined(scope, name) });
  }
  for (const message of holder.messageType ?? holder.nestedType ?? []) {
    const name = joined(scope, message.name);
    types.set(name, message.options?.mapEntry === true ? 'map entry' : 'message');
    declareTypes(name, message, types, extensions);
  }
}

/** Every name that a file defines: also fields, oneofs, methods and values, as reflection is asked for them. */
export function allSymbols(proto: FileDescriptorProto): ReadonlySet<string> {
  const symbols = new Set(declarationsOf(proto).topLevel);
  for (const message of proto.messageType)
    addMessageSymbols(joined(proto.package, message.name), message, symbols);
  for (const service of proto.service) {
    const name = joined(proto.package, service.name);
    for (const method of service.method) symbols.add(joined(name, method.name));
  }
  return symbols;
}

function addMessageSymbols(name: string, message: DescriptorProto, symbols: Set<string>): void {
  symbols.add(name);
  for (const type of message.enumType) for (const symbol of enumSymbols(name, type)) symbols.add(symbol);
  for (const part of [...message.field, ...message.extension, ...message.oneofDecl])
    symbols.add(joined(name, part.name));
  for (const nested of message.nestedType) addMessageSymbols(joined(name, nested.name), nested, symbols);
}

// Values of an enum are siblings of the enum, not its children.
function enumSymbols(scope: string, type: EnumDescriptorProto): string[] {
  return [joined(scope, type.name), ...type.value.map((value) => joined(scope, value.name))];
}

export function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}

export function withoutDot(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name;
}
