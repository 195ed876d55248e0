import type {
  DescEnum,
  DescExtension,
  DescFile,
  DescMessage,
  DescService,
  FileRegistry,
} from '@bufbuild/protobuf';
import { typesOf, type FileType } from './descriptor-file.ts';

/** Where a `FileRegistry` looks things up; each answer may build what it gives. */
export interface TypeSource {
  /** The file that defines a name, at the top or inside something that is at the top. */
  fileDefining(name: string): DescFile | undefined;
  file(name: string): DescFile | undefined;
  files(): Iterable<DescFile>;
  extension(extendee: string, number: number): DescExtension | undefined;
}

/** A registry that builds nothing before it is asked for; going through all of it builds all. */
export function lazyRegistry(source: TypeSource): FileRegistry {
  const get = (name: string): FileType | undefined => {
    const file = source.fileDefining(name);
    return file === undefined ? undefined : typesOf(file).get(name);
  };
  return {
    kind: 'registry',
    get,
    getMessage: (name) => kindOf<DescMessage>('message', get(name)),
    getEnum: (name) => kindOf<DescEnum>('enum', get(name)),
    getExtension: (name) => kindOf<DescExtension>('extension', get(name)),
    getService: (name) => kindOf<DescService>('service', get(name)),
    getExtensionFor: (extendee, number) => source.extension(extendee.typeName, number),
    getFile: (name) => source.file(name),
    get files() {
      return source.files();
    },
    *[Symbol.iterator]() {
      for (const file of source.files()) yield* typesOf(file).values();
    },
  };
}

function kindOf<Type extends FileType>(kind: Type['kind'], type: FileType | undefined): Type | undefined {
  // The kind tells the type: `kind` is what the union is discriminated by.
  return type?.kind === kind ? (type as Type) : undefined;
}
