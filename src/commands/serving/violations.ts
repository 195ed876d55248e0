import type { Violation } from '../../core/services/rpc/events.ts';
import { CommandFailure } from '../command-failure.ts';

/** A problem as one line that editors can follow: `stubs/greeter.yaml:12: /input/equals: must be an object, got 7`. */
export function violationLine({ file, line, pointer, message }: Violation): string {
  const place = file === undefined ? [] : [line === undefined ? file : `${file}:${line}`];
  return [...place, ...(pointer === '' ? [] : [pointer]), message].join(': ');
}

/** All problems at once. */
export function invalidStubs(violations: readonly Violation[]): CommandFailure {
  return new CommandFailure(listed('stub', violations), { code: 'DT_STUB_INVALID' });
}

/** All problems of files of several kinds. */
export function listed(what: string, violations: readonly Violation[]): string {
  const count = violations.length === 1 ? `1 problem` : `${violations.length} problems`;
  return [
    `${count} in ${what} files`,
    ...violations.map((violation) => `  ${violationLine(violation)}`),
  ].join('\n');
}
