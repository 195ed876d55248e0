import { jsonPointer } from '../../../kernel/json-pointer.ts';
import type { DescMessage } from '@bufbuild/protobuf';
import type { Json } from '../../../kernel/json.ts';
import type { Violation } from '../events.ts';

/**
 * Collects why rules can never be met, with the place of each. Its methods give undefined, so that a reader of rules can
 * say in one breath that there is a problem and nothing else.
 */
export class Problems {
  readonly found: Violation[];
  readonly #outer: Problems | undefined;
  readonly #key: string;

  constructor(key: string = '', outer?: Problems) {
    this.found = outer?.found ?? [];
    this.#outer = outer;
    this.#key = key;
  }

  /** The same collection, one key further in. The pointer is put together only when there is a problem. */
  at(key: string): Problems {
    return new Problems(key, this);
  }

  note(message: string): undefined {
    this.found.push({ pointer: this.#pointer(), message });
  }

  unfit(json: Json, expected: string): undefined {
    return this.note(`never matches: expected ${expected}, got ${shortJson(json)}`);
  }

  unknownField(desc: DescMessage, name: string): undefined {
    return this.at(name).note(
      `never matches: the message ${desc.typeName} has no field ${JSON.stringify(name)}`,
    );
  }

  #pointer(): string {
    if (this.#outer === undefined) return '';
    return this.#outer.#pointer() + jsonPointer([this.#key]);
  }
}

const shownCharsMax = 80;

function shortJson(json: Json): string {
  const text = JSON.stringify(json);
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}…`;
}
