import type { Violation } from '../../core/services/rpc/events.ts';
import { printable } from '../../edges/terminal/printable.ts';

/** A problem as one line that editors can follow: `stubs/greeter.yaml:12: /input/equals: must be an object, got 7`. */
export function violationLine({ file, line, pointer, message }: Violation): string {
  const place = file === undefined ? [] : [line === undefined ? file : `${file}:${line}`];
  return printable([...place, ...(pointer === '' ? [] : [pointer]), message].join(': '));
}
