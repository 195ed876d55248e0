import type { OutputStream } from './terminal.ts';

export interface Progress {
  /** How far it is, in the unit of the total. Cheap: draws at most ten times a second. */
  at(done: number): void;
  /** Takes the bar away. */
  end(): void;
}

const quietMs = 1_000;
const redrawMs = 100;
const barColumns = 24;
const clearLine = '\r\u001b[K';

/** A bar that shows only when the work takes longer than a second, and only on a terminal. */
export function startProgress(
  stream: OutputStream,
  title: string,
  total: number | undefined,
  now: () => number = () => performance.now(),
): Progress {
  if (stream.isTTY !== true) return { at: () => {}, end: () => {} };
  let drawAt = now() + quietMs;
  let drawn = false;
  return {
    at: (done) => {
      if (now() < drawAt) return;
      drawAt = now() + redrawMs;
      drawn = true;
      stream.write(`${clearLine}${title} ${bar(done, total)}`);
    },
    end: () => {
      if (drawn) stream.write(clearLine);
    },
  };
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return grouped(done);
  const share = Math.min(1, done / total);
  const full = Math.round(share * barColumns);
  return `${'█'.repeat(full)}${'░'.repeat(barColumns - full)} ${Math.floor(share * 100)} % of ${grouped(total)}`;
}

/** 1234567 as `1,234,567`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
