import { base64, utf8 } from '../../../kernel/bytes.ts';
import { TemplateFailure } from './failure.ts';
import { ofOne, takes, type FunctionTable } from './function.ts';
import { needText } from './text-functions.ts';
import { describe, excerpt, type Value } from './values.ts';

/** Bytes, base64 and UUIDs. */
export const encodingFunctions: FunctionTable = {
  bytes: ofOne((text) => utf8(needText(text))),
  string2base64: ofOne((text) => base64(utf8(needText(text)))),
  bytes2base64: ofOne((bytes) => base64(needBytes(bytes))),
  uuid: takes(0, 0, (_, { environment }) => environment.randomness.uuid()),
  uuid2bytes: ofOne(uuidBytes),
  uuid2base64: ofOne((uuid) => base64(uuidBytes(uuid))),
  uuid2int64: ofOne(uuidHalves),
};

function needBytes(value: Value): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return utf8(value);
  throw new TemplateFailure(`expected bytes, got ${describe(value)}`);
}

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

function uuidBytes(value: Value): Uint8Array {
  const text = needText(value);
  if (!uuidPattern.test(text)) throw new TemplateFailure(`expected a UUID, got ${excerpt(text)}`);
  const digits = text.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16));
}

/** The JSON of a message with the two halves of a UUID, each read little-endian: the form that existing stub files use. */
function uuidHalves(value: Value): string {
  const view = new DataView(uuidBytes(value).buffer);
  return `{"high":${view.getBigInt64(0, true)},"low":${view.getBigInt64(8, true)}}`;
}
