import { isJsonObject } from '../../kernel/json.ts';
import { jsonPointer } from '../../kernel/json-pointer.ts';
import type { Violation } from './events.ts';

/** Keys and indices from a stub to a value in it. */
export type StubPath = readonly (string | number)[];

/** How many violations, or warnings, are listed of one payload; one line more says how many there are beyond. */
export const violationsMax = 100;

/** Collects what is wrong with the stubs of one payload. */
export interface Problems {
  /** `says` goes on from the place: `must be an object, got 7`. */
  add(place: StubPlace, path: StubPath, says: string): void;
  listed(): readonly Violation[];
}

/** A stub in its payload. */
export interface StubPlace {
  /** Absent when the payload is that one stub. */
  readonly index?: number;
  readonly stub: unknown;
}

export function collectProblems(): Problems {
  const listed: Violation[] = [];
  let more = 0;
  return {
    add(place, path, says) {
      if (listed.length >= violationsMax) more += 1;
      else listed.push({ pointer: pointerOf(place, path), message: `${nameOf(place)}: ${says}` });
    },
    listed: () => (more === 0 ? listed : [...listed, { pointer: '', message: `and ${more} more` }]),
  };
}

/** The path as people write it: `input.anyOf[0].equals`. */
export function pathText(path: StubPath): string {
  return path.map(segmentText).join('').replace(/^\./, '');
}

function segmentText(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return /^[A-Za-z_$][\w$]{0,59}$/.test(segment) ? `.${segment}` : `[${shortText(segment)}]`;
}

/** A value, short enough for a sentence. */
export function preview(value: unknown): string {
  if (typeof value === 'string') return shortText(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list';
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? '{}' : 'an object';
  return String(value);
}

const previewMax = 60;

export function shortText(text: string): string {
  return JSON.stringify(text.length > previewMax ? `${text.slice(0, previewMax)}…` : text);
}

/** What people know the stub by: its id, else what it answers, else its place in the list. */
function nameOf({ stub, index }: StubPlace): string {
  if (isJsonObject(stub)) {
    const { id, service, method } = stub;
    if (typeof id === 'string' && id !== '') return `stub ${shortText(id)}`;
    if (typeof service === 'string' && typeof method === 'string')
      return `stub ${shortText(`${service}/${method}`)}`;
  }
  return index === undefined ? 'stub' : `stub ${index + 1}`;
}

function pointerOf(place: StubPlace, path: StubPath): string {
  return jsonPointer(place.index === undefined ? path : [place.index, ...path]);
}
