/** The compiler proves that no case is left; at run time, a mistake of ours stops here. */
export function unreachable(value: never): never {
  throw new Error(`a case was forgotten: ${JSON.stringify(value)}`);
}
