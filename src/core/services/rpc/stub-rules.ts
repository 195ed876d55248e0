import { isCredentialHeader } from '../../kernel/credentials.ts';
import { parseDurationMs } from '../../kernel/duration.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { compileGlob } from './matching/glob.ts';
import { compilePattern, type CompiledPattern } from './matching/pattern.ts';
import { namesScheme } from './stub-credentials.ts';
import { pathText, preview, shortText, type Problems, type StubPlace } from './stub-problems.ts';
import { uuidPattern } from './stub-schema-validator.ts';
import { hasTemplate, parseTemplate } from './templates/parse.ts';

/** How deep a stub may nest: objects and lists inside one another. */
export const stubDepthMax = 100;

/** What a text of a stub is for, and so which rules it has. */
type Purpose = 'anything' | 'compared' | 'fixed' | 'pattern' | 'glob' | 'template';

type Path = (string | number)[];

/** One walk through one stub. `path` changes as the walk goes on; nothing is allocated for what is right. */
interface Walk {
  readonly place: StubPlace;
  readonly path: Path;
  readonly problems: Problems;
  readonly warnings: Problems;
}

/**
 * Checks the rules that a JSON Schema cannot tell: depth, patterns, templates, long delays, ids of effects. Asks nothing of
 * the stub's shape, which the schema has judged; what has the wrong shape is only walked through.
 */
export function addBrokenStubRules(place: StubPlace, problems: Problems, warnings: Problems): void {
  const walk: Walk = { place, path: [], problems, warnings };
  eachEntry(walk, place.stub, (key, value) => {
    if (key === 'input') inputMatcher(walk, value);
    else if (key === 'inputs') eachItem(walk, value, inputMatcher);
    else if (key === 'headers') headerMatcher(walk, value);
    else if (key === 'output') output(walk, value);
    else if (key === 'effects') eachItem(walk, value, effect);
    else texts(walk, value, 'anything');
  });
}

function inputMatcher(walk: Walk, matcher: unknown): void {
  eachEntry(walk, matcher, (key, rules) => {
    if (key === 'anyOf') eachItem(walk, rules, inputMatcher);
    else texts(walk, rules, purposeOf(key));
  });
}

function headerMatcher(walk: Walk, matcher: unknown): void {
  eachEntry(walk, matcher, (key, rules) => {
    if (key === 'anyOf') eachItem(walk, rules, headerMatcher);
    else eachEntry(walk, rules, (name, value) => headerRule(walk, key, name, value));
  });
}

function headerRule(walk: Walk, matcher: string, name: string, value: unknown): void {
  texts(walk, value, purposeOf(matcher));
  if (typeof value !== 'string' || matcher === 'equals' || !isCredentialHeader(name) || namesScheme(value))
    return;
  warn(
    walk,
    'is compared with the fingerprint that stands for a credential, as in "Bearer fp_…": use equals',
  );
}

function purposeOf(matcher: string): Purpose {
  if (matcher === 'matches') return 'pattern';
  return matcher === 'glob' ? 'glob' : 'compared';
}

function output(walk: Walk, value: unknown): void {
  eachEntry(walk, value, (key, part) => {
    if (key === 'delay') delay(walk, part);
    else if (key === 'stream') eachItem(walk, part, streamMessage);
    else texts(walk, part, key === 'details' ? 'fixed' : 'template');
  });
}

function streamMessage(walk: Walk, message: unknown): void {
  texts(walk, message, 'template');
  if (!isJsonObject(message) || !isJsonObject(message['_gripmock'])) return;
  walk.path.push('_gripmock', 'delay');
  delay(walk, message['_gripmock']['delay']);
  walk.path.length -= 2;
}

// The schema judges the form; only a delay of that form can still be too long.
function delay(walk: Walk, value: unknown): void {
  if (typeof value !== 'string') return;
  try {
    parseDurationMs(value);
  } catch (error) {
    const reason = (error as RangeError).message;
    if (reason.startsWith('must be at most')) fault(walk, reason);
  }
}

function effect(walk: Walk, value: unknown): void {
  texts(walk, value, 'template');
  if (!isJsonObject(value)) return;
  const { id, stub } = value;
  if (id !== undefined) effectId(walk, ['id'], id);
  if (isJsonObject(stub) && stub['id'] !== undefined) effectId(walk, ['stub', 'id'], stub['id']);
}

function effectId(walk: Walk, below: readonly string[], id: unknown): void {
  if (typeof id !== 'string' || id === '' || hasTemplate(id) || uuidPattern.test(id)) return;
  walk.path.push(...below);
  fault(walk, `must be a UUID or a template, got ${shortText(id)}`);
  walk.path.length -= below.length;
}

/** Walks through everything below `value`, and checks each text for its purpose. */
function texts(walk: Walk, value: unknown, purpose: Purpose): void {
  if (typeof value === 'string') text(walk, value, purpose);
  else if (Array.isArray(value)) eachItem(walk, value, (_, item) => texts(walk, item, purpose));
  else if (typeof value === 'object') eachEntry(walk, value, (_, item) => texts(walk, item, purpose));
  else if (typeof value === 'number' && !Number.isFinite(value)) {
    fault(walk, `must be a finite number, got ${value}; write "NaN" or "Infinity" as text`);
  } else if (typeof value !== 'number' && typeof value !== 'boolean') {
    fault(walk, `must be a JSON value, got ${preview(value)}`);
  }
}

const compared = 'holds {{, and is compared as it stands: only output and effects have templates';

/** What to say of a template where none is rendered. */
const notices: ReadonlyMap<Purpose, string> = new Map([
  ['compared', compared],
  ['pattern', compared],
  ['glob', compared],
  ['fixed', 'holds {{, and is sent as it stands: details have no templates'],
]);

function text(walk: Walk, value: string, purpose: Purpose): void {
  if (purpose === 'template') template(walk, value);
  else if (purpose === 'pattern')
    pattern(walk, value, 'a regular expression (RE2 syntax)', compilePattern(value));
  else if (purpose === 'glob') pattern(walk, value, 'a glob', compileGlob(value));
  const notice = notices.get(purpose);
  if (notice !== undefined && hasTemplate(value)) warn(walk, notice);
}

function pattern(walk: Walk, value: string, wanted: string, compiled: CompiledPattern): void {
  if (!compiled.ok) fault(walk, `must be ${wanted}, got ${shortText(value)}: ${compiled.problem}`);
}

function template(walk: Walk, value: string): void {
  if (!hasTemplate(value)) return;
  const parsed = parseTemplate(value);
  if (!parsed.ok) fault(walk, `is not a template: ${parsed.problem}`);
}

function eachItem(walk: Walk, list: unknown, check: (walk: Walk, item: unknown) => void): void {
  if (!Array.isArray(list) || isTooDeep(walk)) return;
  for (let index = 0; index < list.length; index += 1) {
    walk.path.push(index);
    check(walk, list[index]);
    walk.path.pop();
  }
}

function eachEntry(walk: Walk, object: unknown, check: (key: string, value: unknown) => void): void {
  if (!isJsonObject(object) || isTooDeep(walk)) return;
  for (const key of Object.keys(object)) {
    walk.path.push(key);
    check(key, object[key]);
    walk.path.pop();
  }
}

// The way down ends here, so that no depth can overflow the engine's stack. The path of a thousand keys helps nobody.
function isTooDeep(walk: Walk): boolean {
  if (walk.path.length < stubDepthMax) return false;
  const [top = ''] = walk.path;
  walk.problems.add(walk.place, [top], `${pathText([top])} nests deeper than ${stubDepthMax} levels`);
  return true;
}

function fault(walk: Walk, says: string): void {
  walk.problems.add(walk.place, [...walk.path], `${pathText(walk.path)} ${says}`);
}

function warn(walk: Walk, says: string): void {
  walk.warnings.add(walk.place, [...walk.path], `${pathText(walk.path)} ${says}`);
}
