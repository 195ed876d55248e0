const signals = ['SIGINT', 'SIGTERM'] as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves at the first signal to stop. A second one ends the process at once, whatever is still open. */
export function untilStopped(onFirst: (signal: NodeJS.Signals) => void): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of signals) {
      process.on(signal, () => {
        if (isStopping) process.exit(128 + signalNumbers[signal]);
        isStopping = true;
        onFirst(signal);
        resolve();
      });
    }
  });
}
