import type { Command } from 'commander';
import type { CommandContext } from './program.ts';

export function define(command: Command, _context: CommandContext): void {
  command.action(() => {});
}
