import { styleText } from 'node:util';
import { startProgress, type Progress } from './progress.ts';

/** What is written for people and programs: results on standard output, everything else on standard error. */
export interface Terminal {
  /** A line of result. Text from outside goes through `printable` first. */
  readonly line: (text?: string) => void;
  /** A line of news or trouble. */
  readonly note: (text: string) => void;
  /** Shown after a second, on a terminal only. `total` may be unknown. */
  readonly progress: (title: string, total?: number) => Progress;
  /** Colour for results, when standard output is a terminal and nothing forbids it (`NO_COLOR`). */
  readonly paint: Paint;
  /** Colour for standard error. */
  readonly paintNote: Paint;
  /** Infinite when standard output is not a terminal: a pipe gets whole lines. */
  readonly columns: number;
}

export type Paint = (colour: Colour, text: string) => string;

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

export interface TerminalStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function openTerminal({ stdout, stderr }: TerminalStreams): Terminal {
  const columns = stdout.isTTY === true ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const paint = painter(stdout);
  return {
    columns,
    paint,
    paintNote: painter(stderr),
    line: (text = '') => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (title, total) => startProgress(stderr, title, total),
  };
}

function painter(stream: OutputStream): Paint {
  return (colour, text) => styleText(colour, text, { stream, validateStream: true });
}
