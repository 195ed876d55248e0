/** Headers that name a session, in the order in which they count; lower case. */
export const sessionHeaders: readonly string[] = ['x-doubletake-session', 'x-gripmock-session'];

/** The longest name of a session, in UTF-16 code units. */
export const sessionNameMax = 200;

/** The session that headers name; empty, the global one, when they name none. `valueOf` gets lower-case names. */
export function sessionNamed(valueOf: (header: string) => string | undefined): string {
  for (const header of sessionHeaders) {
    const name = valueOf(header)?.trim();
    if (name !== undefined && name !== '') return name;
  }
  return '';
}
