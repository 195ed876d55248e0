import { strictUtf8Text } from '../../core/kernel/bytes.ts';
import { parseJsonText } from '../../core/kernel/json-text.ts';
import { textLines } from '../../core/kernel/text-lines.ts';
import { stubDepthMax } from '../../core/services/rpc/stub-rules.ts';
import { refusal, type RequestViolation } from './problem.ts';

export const jsonTypes: readonly string[] = ['application/json'];
export const yamlTypes: readonly string[] = [
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
];
export const descriptorSetTypes: readonly string[] = [
  'application/octet-stream',
  'application/x-protobuf',
  'application/protobuf',
  'application/vnd.google.protobuf',
];
export const protoSourceTypes: readonly string[] = ['text/x-protobuf', 'text/x-proto'];

/** Reads YAML; lines count from 1. What reads stub files does. */
export type ReadYaml = (
  text: string,
) =>
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly problems: readonly { readonly line: number; readonly message: string }[] };

/** A list of stubs, each of which may nest as deep as in a file. */
const levelsMax = stubDepthMax + 1;

/** `undefined` for no body. Throws a `ProblemError` that says where the text breaks off. */
export function parseBody(mediaType: string, bytes: Uint8Array, readYaml: ReadYaml | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (jsonTypes.includes(mediaType)) return jsonValue(textOf(bytes));
  if (yamlTypes.includes(mediaType)) return yamlValue(textOf(bytes), readYaml);
  return bytes;
}

function textOf(bytes: Uint8Array): string {
  try {
    return strictUtf8Text(bytes);
  } catch {
    throw malformed('the body is not UTF-8', [{ pointer: '', message: 'expected UTF-8' }]);
  }
}

function jsonValue(text: string): unknown {
  const parsed = parseJsonText(text, levelsMax);
  if (parsed.ok) return parsed.value;
  const lines = textLines(text);
  const message = `${parsed.problem} (column ${lines.columnAt(parsed.offset)})`;
  throw malformed('the body is not JSON', [{ pointer: '', message, line: lines.lineAt(parsed.offset) }]);
}

function yamlValue(text: string, readYaml: ReadYaml | undefined): unknown {
  if (readYaml === undefined) throw refusal('DT_MEDIA_TYPE_REFUSED', 'this server reads JSON only');
  const read = readYaml(text);
  if (read.ok) return read.payload;
  const violations = read.problems.map(({ line, message }) => ({ pointer: '', message, line }));
  throw malformed('the body is not YAML', violations);
}

function malformed(detail: string, violations: readonly RequestViolation[]): Error {
  return refusal('DT_REQUEST_MALFORMED', detail, { violations });
}
