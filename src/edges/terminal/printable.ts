import { strictUtf8Text } from '../../core/kernel/bytes.ts';

/**
 * Text from outside, safe to print: control characters, escape sequences and marks that reorder or hide text are
 * written out (`\u001b`), so that what is in a take can neither move the cursor nor pretend to be something else.
 * Tabs and line ends are written out too, unless `lines` says that the text may have several lines.
 */
export function printable(text: string, options: { readonly lines?: boolean } = {}): string {
  if (!suspect.test(text)) return text;
  return text.replaceAll(everySuspect, (character) =>
    options.lines === true && (character === '\n' || character === '\t') ? character : written(character),
  );
}

/** Bytes as text when they are printable UTF-8, else undefined. */
export function printableBytes(bytes: Uint8Array): string | undefined {
  try {
    return printable(strictUtf8Text(bytes));
  } catch {
    return undefined;
  }
}

// C0, DEL and C1; soft hyphen, zero-width and direction marks, line and paragraph separators, isolates, the byte
// order mark, interlinear annotations, tags, and surrogates that stand alone.
const suspects =
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
  '\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\p{Surrogate}]';
const suspect = new RegExp(suspects, 'u');
const everySuspect = new RegExp(suspects, 'gu');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return (
    short[character] ??
    (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`)
  );
}
