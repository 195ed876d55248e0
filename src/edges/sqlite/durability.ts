/** What an answered entry survives: `process`, that this process is killed; `power`, that the machine loses power. */
export type Durability = 'process' | 'power';

/** SQLite's `synchronous` with a write-ahead log. https://www.sqlite.org/pragma.html#pragma_synchronous */
export function synchronousOf(durability: Durability): 'NORMAL' | 'FULL' {
  return durability === 'power' ? 'FULL' : 'NORMAL';
}
