import type { DescExtension, FileRegistry } from '@bufbuild/protobuf';
import { declarationsOf } from './declarations.ts';
import { descOf, typesOf, type DescriptorFile } from './descriptor-file.ts';
import type { DescriptorIndex } from './descriptor-index.ts';
import { lazyRegistry } from './type-registry.ts';

/** The file in which a full name is, or would be: the one that defines the name or the nearest scope around it. */
export function fileDefining(
  index: Pick<DescriptorIndex, 'symbols' | 'files'>,
  name: string,
): DescriptorFile | undefined {
  for (let scope = name; scope !== ''; scope = scope.slice(0, Math.max(0, scope.lastIndexOf('.')))) {
    const file = index.symbols.get(scope);
    if (file !== undefined) return index.files.get(file);
  }
  return undefined;
}

/** Numbers of the known extensions of a message, ascending. */
export function extensionNumbers(index: DescriptorIndex, extendee: string): readonly number[] {
  return [...(index.extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b);
}

/** The file that defines the extension of a message with that number. */
export function fileOfExtension(
  index: DescriptorIndex,
  extendee: string,
  number: number,
): DescriptorFile | undefined {
  const name = index.extensions.get(extendee)?.get(number);
  return name === undefined ? undefined : index.files.get(name);
}

export function registryOf(index: DescriptorIndex): FileRegistry {
  return lazyRegistry({
    fileDefining: (name) => built(fileDefining(index, name)),
    file: (name) => built(index.files.get(name)),
    files: () => [...index.files.values()].map(descOf),
    extension: (extendee, number) => extensionOf(fileOfExtension(index, extendee, number), extendee, number),
  });
}

function built(file: DescriptorFile | undefined): ReturnType<typeof descOf> | undefined {
  return file === undefined ? undefined : descOf(file);
}

function extensionOf(
  file: DescriptorFile | undefined,
  extendee: string,
  number: number,
): DescExtension | undefined {
  if (file === undefined) return undefined;
  const declared = declarationsOf(file.proto).extensions.find(
    (one) => one.extendee === extendee && one.number === number,
  );
  const type = declared === undefined ? undefined : typesOf(descOf(file)).get(declared.name);
  return type?.kind === 'extension' ? type : undefined;
}
