import { printable } from '../edges/terminal/printable.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { CommandFailure } from './command-failure.ts';
import { errorCodes, isErrorCode, type ErrorCode } from './error-codes.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';

/** Says on standard error what went wrong and what to try, and gives the exit code. A mistake of ours shows its stack. */
export function reportFailure(error: unknown, terminal: Terminal): ExitCode {
  const code = codeOf(error);
  if (code === undefined && !(error instanceof CommandFailure)) {
    terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return exitCodes.couldNotStart;
  }
  const message = printable(error instanceof Error ? error.message : String(error), { lines: true });
  const paint = terminal.paintNote;
  terminal.note(paint('red', code === undefined ? message : `${code}: ${message}`));
  const hint = hintOf(error, code);
  if (hint !== undefined) terminal.note(`${paint('dim', 'Try:')} ${hint}`);
  return error instanceof CommandFailure ? error.exitCode : exitCodes.couldNotStart;
}

function codeOf(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return isErrorCode(error.code) ? error.code : undefined;
}

function hintOf(error: unknown, code: ErrorCode | undefined): string | undefined {
  if (error instanceof CommandFailure && error.hint !== undefined) return error.hint;
  return code === undefined ? undefined : errorCodes[code].remedy;
}
