import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { ErrorCode } from './error-codes.ts';

/** Why a command cannot do what was asked: said in one sentence, with what to try. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly code: ErrorCode | undefined;
  readonly exitCode: ExitCode;
  /** What to do about it, when the table of errors does not say it better. */
  readonly hint: string | undefined;

  constructor(message: string, details: CommandFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.exitCode = details.exitCode ?? exitCodes.couldNotStart;
    this.hint = details.hint;
  }
}

export interface CommandFailureDetails {
  readonly code?: ErrorCode;
  readonly exitCode?: ExitCode;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The arguments make no sense, though the parser could read them. */
export function usageFailure(message: string, hint?: string): CommandFailure {
  return new CommandFailure(message, { exitCode: exitCodes.usage, ...(hint === undefined ? {} : { hint }) });
}
