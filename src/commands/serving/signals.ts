const signals = ['SIGINT', 'SIGTERM'] as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** One Ctrl-C arrives twice below npm: from the terminal, and again from npm, which passes it on. */
const sameKeystrokeMs = 250;

/** Resolves at the first signal to stop. A second one ends the process at once, whatever is still open. */
export function untilStopped(onFirst: () => void): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = performance.now();
        if (firstAt === undefined) {
          firstAt = now;
          onFirst();
          resolve();
        } else if (now - firstAt > sameKeystrokeMs) process.exit(128 + signalNumbers[signal]);
      });
    }
  });
}
