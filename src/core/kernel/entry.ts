/**
 * An input with what the simulator made of it: one row of the log, written whole or not at all.
 *
 * Payload bytes may stand in one place only, the top-level property `bytes` of an input or of an outcome. So
 * the log can keep them as they are, without turning them into JSON.
 */
export interface Entry<Input extends Item = Item, Outcome extends Item = Item> {
  /** Counts from 1, without gaps. */
  readonly seq: number;
  /** Whole milliseconds since 1970-01-01T00:00:00Z, on the log's clock; never less than the entry before. */
  readonly at: number;
  readonly input: Input;
  readonly outcomes: readonly Outcome[];
}

/** What inputs and outcomes have in common. All but `bytes` is JSON. */
export interface Item {
  readonly kind: string;
  readonly bytes?: Uint8Array;
}
