/**
 * Waits for many things with the same time limit: one timer for all, and two set operations for each, since a timer
 * of its own for every call would cost more than reading the call.
 */
export class Patience<Item> {
  readonly #limitMs: number;
  readonly #expired: (item: Item) => void;
  readonly #timer: NodeJS.Timeout;
  /** When each item began to be watched; the oldest stands first, because a map keeps the order of insertion. */
  readonly #since = new Map<Item, number>();

  constructor(limitMs: number, expired: (item: Item) => void) {
    this.#limitMs = limitMs;
    this.#expired = expired;
    this.#timer = setInterval(() => this.#sweep(), Math.min(Math.max(10, limitMs / 8), 10_000));
    this.#timer.unref();
  }

  /** Starts the item's time anew. */
  watch(item: Item): void {
    this.#since.delete(item);
    this.#since.set(item, performance.now());
  }

  /** What was waited for has come, or does not matter any more. */
  dismiss(item: Item): void {
    this.#since.delete(item);
  }

  watches(item: Item): boolean {
    return this.#since.has(item);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#since.clear();
  }

  #sweep(): void {
    const before = performance.now() - this.#limitMs;
    for (const [item, since] of this.#since) {
      if (since > before) return;
      this.#since.delete(item);
      this.#expired(item);
    }
  }
}
