import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { isFileName } from '../../core/services/rpc/protobuf/descriptor-checks.ts';
import { builtInFiles } from '../../core/services/rpc/protobuf/well-known.ts';
import { fileBelow, foldersAround, nameBelow, type FoundProto, type Root } from './proto-roots.ts';

/** What an import leads to: a file on disk, or one that is known already. */
export type Import =
  | { readonly from: 'disk'; readonly file: FoundProto }
  | { readonly from: 'known'; readonly proto: FileDescriptorProto }
  | { readonly from: 'nowhere'; readonly problem: string };

/** Where imports lead, and what files are called. */
export class ProtoImports {
  readonly #roots: Root[];
  readonly #sets: ReadonlyMap<string, FileDescriptorProto>;
  readonly #found: readonly FoundProto[];
  readonly #below = new Map<string, FoundProto | undefined>();
  readonly #endings = new Map<string, readonly FoundProto[]>();

  constructor(
    roots: readonly Root[],
    found: readonly FoundProto[],
    sets: ReadonlyMap<string, FileDescriptorProto>,
  ) {
    this.#roots = [...roots];
    this.#found = found;
    this.#sets = sets;
  }

  /** The name of a file: its path below the first root that holds it. */
  nameOf(file: FoundProto): string {
    for (const root of this.#roots) {
      const name = nameBelow(root, file.real);
      if (name !== undefined) return name;
    }
    const [own] = foldersAround(file);
    if (own !== undefined) this.#roots.push(own);
    return file.real.slice((own?.real.length ?? 0) + 1);
  }

  /** True for a copy of a file that is always the built-in one. */
  isBuiltIn(file: FoundProto): boolean {
    const at = file.real.lastIndexOf('/google/protobuf/');
    return at !== -1 && isPinned(file.real.slice(at + 1));
  }

  resolve(importer: FoundProto, name: string): Import {
    if (!isFileName(name) || name.includes('\\'))
      return { from: 'nowhere', problem: 'is not a relative path without ".."' };
    const builtIn = builtInFiles().get(name);
    if (builtIn?.pinned === true) return { from: 'known', proto: builtIn.proto };
    const file = this.#belowRoots(name);
    if (file !== undefined) return this.#onDisk(file);
    const known = this.#sets.get(name) ?? builtIn?.proto;
    if (known !== undefined) return { from: 'known', proto: known };
    const around = this.#around(importer, name) ?? this.#byEnding(name);
    if (around !== undefined) return this.#onDisk(around);
    const looked = this.#roots.map((root) => root.path).join(', ');
    return { from: 'nowhere', problem: `is neither built in nor below ${looked}` };
  }

  #onDisk(file: FoundProto): Import {
    const name = this.isBuiltIn(file)
      ? file.real.slice(file.real.lastIndexOf('/google/protobuf/') + 1)
      : undefined;
    const builtIn = name === undefined ? undefined : builtInFiles().get(name);
    return builtIn === undefined ? { from: 'disk', file } : { from: 'known', proto: builtIn.proto };
  }

  #belowRoots(name: string): FoundProto | undefined {
    // The same few names are imported thousands of times.
    if (!this.#below.has(name)) this.#below.set(name, firstBelow(this.#roots, name));
    return this.#below.get(name);
  }

  /** Someone may have given a folder, or a file, from the middle of a tree whose imports begin further up. */
  #around(importer: FoundProto, name: string): FoundProto | undefined {
    for (const folder of foldersAround(importer)) {
      const file = fileBelow(folder, name);
      if (file === undefined) continue;
      this.#roots.push(folder);
      this.#below.clear();
      return file;
    }
    return undefined;
  }

  /** Someone may keep the files of others in a folder of their own, `third_party/google/api/http.proto`. */
  #byEnding(name: string): FoundProto | undefined {
    if (this.#endings.size === 0) for (const file of this.#found) this.#addEndings(file);
    const [file, ...others] = this.#endings.get(name) ?? [];
    return others.length === 0 ? file : undefined;
  }

  #addEndings(file: FoundProto): void {
    for (let at = file.real.indexOf('/'); at !== -1; at = file.real.indexOf('/', at + 1)) {
      const ending = file.real.slice(at + 1);
      this.#endings.set(ending, [...(this.#endings.get(ending) ?? []), file]);
    }
  }
}

function firstBelow(roots: readonly Root[], name: string): FoundProto | undefined {
  for (const root of roots) {
    const file = fileBelow(root, name);
    if (file !== undefined) return file;
  }
  return undefined;
}

function isPinned(name: string): boolean {
  return builtInFiles().get(name)?.pinned === true;
}
