/**
 * Case by code point, as Go maps it: a letter whose other case is several letters stays (`ß`), and no letter depends on
 * its neighbours (`Σ`).
 */

const isAscii = /^[\0-\x7f]*$/;

export function upperCase(text: string): string {
  return isAscii.test(text) ? text.toUpperCase() : mapCharacters(text, upperCharacter);
}

export function lowerCase(text: string): string {
  return isAscii.test(text) ? text.toLowerCase() : mapCharacters(text, lowerCharacter);
}

/** The first letter of each word in upper case, the others as they are. */
export function titleCase(text: string): string {
  let isInWord = false;
  return mapCharacters(text, (character) => {
    const mapped = isInWord ? character : upperCharacter(character);
    isInWord = wordCharacter.test(character);
    return mapped;
  });
}

const wordCharacter = /[\p{L}\p{N}_'’]/u;

function mapCharacters(text: string, map: (character: string) => string): string {
  let mapped = '';
  for (const character of text) mapped += map(character);
  return mapped;
}

function upperCharacter(character: string): string {
  return onlyCharacter(character.toUpperCase(), character);
}

function lowerCharacter(character: string): string {
  return onlyCharacter(character.toLowerCase(), character);
}

function onlyCharacter(mapped: string, character: string): string {
  return mapped.length === String.fromCodePoint(mapped.codePointAt(0) ?? 0).length ? mapped : character;
}
