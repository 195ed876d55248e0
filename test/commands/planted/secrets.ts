import { randomnessAt } from '../../../src/core/kernel/randomness.ts';

const chance = randomnessAt('planted', 1);

/** A credential as somebody may send it: no two alike, with characters that a URL has to escape. */
export function newSecret(place: string): string {
  return `${place}~${chance.uuid().replaceAll('-', '+')}/==`;
}

/** In which of its forms a text holds a secret. */
export function formsIn(text: string, secret: string): readonly string[] {
  return Array.from(formsOf(secret)).flatMap(([form, value]) => (text.includes(value) ? [form] : []));
}

function formsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret);
  return new Map([
    ['plain', secret],
    ['hex', bytes.toString('hex')],
    ['URL', encodeURIComponent(secret)],
    // In a longer text that is base64 as a whole, the secret may begin at any of three places.
    ...[0, 1, 2].flatMap((shift) => inBase64(bytes, shift)),
    // What is left when somebody splits or cuts it.
    ['a part', secret.slice(0, 12)],
  ]);
}

/** The characters that depend on the secret alone, in both alphabets. */
function inBase64(bytes: Buffer, shift: number): readonly (readonly [string, string])[] {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const end = Math.floor(whole.length / 3) * 4;
  return (['base64', 'base64url'] as const).map(
    (form) => [`${form}, ${shift} after`, whole.toString(form).slice(shift === 0 ? 0 : 4, end)] as const,
  );
}
