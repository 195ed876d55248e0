import { runProgram } from './commands/program.ts';
import { openTerminal } from './edges/terminal/terminal.ts';

/** Runs one command; the process ends with its exit code when nothing is left to do. */
export async function main(args: readonly string[]): Promise<void> {
  endQuietlyWhenNobodyReads();
  process.exitCode = await runProgram(args, openTerminal(process));
}

/** `doubletake log … | head` closes the pipe early; that is no error. */
function endQuietlyWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
