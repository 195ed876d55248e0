/** How a command ends; the table of `docs/commands.md`. */
export const exitCodes = {
  ok: 0,
  commandFailed: 1,
  misses: 2,
  divergence: 3,
  nothingServed: 4,
  couldNotStart: 5,
  gateFailed: 6,
  usage: 64,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
