export type Value = unknown;
