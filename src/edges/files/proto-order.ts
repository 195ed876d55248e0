import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';

export type Ordered =
  | { readonly ok: true; readonly files: readonly FileDescriptorProto[] }
  /** Files that import one another in a circle: each the next, and the last the first. */
  | { readonly ok: false; readonly circle: readonly string[] };

/** The files in an order in which none stands before what it imports, else by name in UTF-16 code units. */
export function importsFirst(files: readonly FileDescriptorProto[]): Ordered {
  const byName = new Map(files.map((file) => [file.name, file]));
  const done = new Set<FileDescriptorProto>();
  const open: FileDescriptorProto[] = [];
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!done.has(file)) open.push(file);
    for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
      const missing = firstMissing(next, byName, done);
      if (missing === undefined) {
        done.add(next);
        open.pop();
      } else if (open.includes(missing)) {
        return { ok: false, circle: open.slice(open.indexOf(missing)).map(({ name }) => name) };
      } else {
        open.push(missing);
      }
    }
  }
  return { ok: true, files: [...done] };
}

function firstMissing(
  file: FileDescriptorProto,
  byName: ReadonlyMap<string, FileDescriptorProto>,
  done: ReadonlySet<FileDescriptorProto>,
): FileDescriptorProto | undefined {
  for (const name of file.dependency) {
    const dependency = byName.get(name);
    if (dependency !== undefined && !done.has(dependency)) return dependency;
  }
  return undefined;
}
