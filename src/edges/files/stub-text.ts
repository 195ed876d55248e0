import { stubDepthMax } from '../../core/services/rpc/stub-rules.ts';

/** How deep the text of a stub file may nest: a list of stubs. */
export const levelsMax = stubDepthMax + 1;

/** What the text of a stub file holds, and on which lines; or why it cannot be read. Lines count from 1. */
export type StubText =
  | {
      readonly ok: true;
      /** One stub or a list of stubs, if all is well. */
      readonly payload: unknown;
      /** Where each stub begins. */
      readonly lines: readonly number[];
      /** Where the value with this JSON pointer into the payload begins, or the nearest that there is around it. */
      readonly lineOf: (pointer: string) => number;
    }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

export interface TextProblem {
  readonly line: number;
  readonly message: string;
}

/** The line that `find` gives for the pointer or, failing that, for the nearest value around it. */
export function lineOfNearest(pointer: string, find: (pointer: string) => number | undefined): number {
  for (let nearest = pointer; ; nearest = nearest.slice(0, nearest.lastIndexOf('/'))) {
    const line = find(nearest);
    if (line !== undefined) return line;
    if (nearest === '') return 1;
  }
}
