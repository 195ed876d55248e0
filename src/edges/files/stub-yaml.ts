import {
  isMap,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type ParsedNode,
  type YAMLError,
} from 'yaml';
import type { Json } from '../../core/kernel/json.ts';
import { pointerSegments } from '../../core/kernel/json-pointer.ts';
import { jsonOfYaml, nodeBelow, YamlProblem } from './stub-yaml-nodes.ts';
import type { StubText, TextProblem } from './stub-text.ts';

/** How many problems of the syntax are listed of one file: the first ones cause most of the others. */
const syntaxProblemsMax = 10;

/**
 * Reads the text of a YAML file (YAML 1.2, core schema, and merge keys): one stub or a list of stubs in each document. The
 * stubs of all documents are one list.
 */
export function readStubYaml(text: string): StubText {
  const lineCounter = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line);
  const documents = [
    ...parseAllDocuments(text, {
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      // The parser's own check compares each key with each other: minutes, for a map of a million. Ours is on the way.
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter,
    }),
  ];
  const problems = documents.flatMap((document) => syntaxProblems(document, text, lineAt));
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, syntaxProblemsMax) };
  try {
    return stubsIn(documents.flatMap(valueOf), lineAt);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    return {
      ok: false,
      problems: [{ line: lineAt(error.offset), message: `is not YAML of stubs: ${error.message}` }],
    };
  }
}

interface YamlValue {
  readonly document: Document.Parsed;
  readonly value: Json;
}

function valueOf(document: Document.Parsed): readonly YamlValue[] {
  const value = jsonOfYaml(document.contents);
  // `---` at the end of a file begins a document with nothing in it.
  return value === null ? [] : [{ document, value }];
}

/** A stub, or what stands where one is expected, with its node. */
interface Item {
  readonly value: Json;
  readonly node: ParsedNode | null;
  readonly document: Document.Parsed;
}

function stubsIn(values: readonly YamlValue[], lineAt: (offset: number) => number): StubText {
  const items = values.flatMap(itemsOf);
  const [only] = values;
  const isList = values.length !== 1 || Array.isArray(only?.value);
  return {
    ok: true,
    payload: isList ? items.map((item) => item.value) : only?.value,
    lines: items.map((item) => lineAt(startOf(item.node))),
    lineOf(pointer) {
      const segments = pointerSegments(pointer);
      const item = items[isList ? Number(segments[0] ?? 0) : 0];
      if (item === undefined) return 1;
      return lineAt(startOf(nodeBelow(item.document, item.node, isList ? segments.slice(1) : segments)));
    },
  };
}

function itemsOf({ document, value }: YamlValue): readonly Item[] {
  const { contents } = document;
  if (!isSeq(contents) || !Array.isArray(value)) return [{ value, node: contents, document }];
  return (value as readonly Json[]).map((item, index) => {
    return { value: item, node: contents.items[index] ?? null, document };
  });
}

function startOf(node: ParsedNode | null): number {
  if (isMap(node)) return node.items[0]?.key?.range?.[0] ?? node.range?.[0] ?? 0;
  return node?.range?.[0] ?? 0;
}

function syntaxProblems(
  document: Document.Parsed,
  text: string,
  lineAt: (offset: number) => number,
): readonly TextProblem[] {
  // The parser only warns of tags that it does not know, and takes the value for a text.
  const found: readonly YAMLError[] = [...document.errors, ...document.warnings];
  return found.map((error) => ({
    line: lineAt(error.pos[0]),
    message: `is not YAML of stubs: ${inWords(error, text)}`,
  }));
}

function inWords(error: YAMLError, text: string): string {
  const [offset] = error.pos;
  if (error.code === 'RESOURCE_EXHAUSTION') return 'nests too deep';
  if (error.code === 'TAG_RESOLVE_FAILED') {
    return `${error.message.replace('Unresolved tag: ', 'the tag ')} is not known`;
  }
  if (error.code !== 'NON_STRING_KEY') return error.message;
  return text.startsWith('{{', offset - 1)
    ? 'a template needs quotes, as in "{{.Request.name}}"'
    : 'a key must be a plain text';
}
