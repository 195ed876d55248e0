import { TemplateFailure } from './failure.ts';
import type { Directive } from './directive.ts';
import { formatScalar, pad, typeName } from './printf-scalar.ts';
import { printWith } from './print.ts';
import { TextSink } from './text-sink.ts';
import type { Value } from './values.ts';

/** Widths and precisions; Go takes a million, which nobody needs. */
export const formatWidthMax = 1_000;

/** Go's `fmt.Sprintf`; where arguments do not fit, the text says so, as Go's does: `%!d(string=x)`. */
export function sprintf(format: string, args: readonly Value[]): string {
  const sink = new TextSink();
  const arguments_ = new ArgumentCursor(args);
  let position = 0;
  while (position < format.length) {
    const percent = format.indexOf('%', position);
    if (percent < 0) break;
    sink.add(format.slice(position, percent));
    position = printDirective(format, percent + 1, arguments_, sink);
  }
  sink.add(format.slice(position));
  if (!arguments_.reordered && arguments_.next < args.length) printExtra(args.slice(arguments_.next), sink);
  return sink.text;
}

class ArgumentCursor {
  readonly args: readonly Value[];
  next = 0;
  /** An explicit index such as `%[2]d` was used; then unused arguments are no mistake. */
  reordered = false;

  constructor(args: readonly Value[]) {
    this.args = args;
  }

  take(): Value | undefined {
    const value = this.args[this.next];
    this.next += 1;
    return value;
  }
}

interface Reading {
  readonly format: string;
  position: number;
}

/** Prints the directive that begins behind a `%`, and gives where the format goes on. */
function printDirective(format: string, start: number, args: ArgumentCursor, sink: TextSink): number {
  const reading: Reading = { format, position: start };
  const flags = readFlags(reading);
  readArgumentIndex(reading, args);
  const width = readSize(reading, args);
  const precision = readPrecision(reading, args);
  readArgumentIndex(reading, args);
  if (reading.position >= format.length) {
    sink.add('%!(NOVERB)');
    return reading.position;
  }
  const verb = String.fromCodePoint(format.codePointAt(reading.position) ?? 0);
  const minus = flags.has('-') || (width ?? 0) < 0;
  const directive: Directive = {
    verb,
    minus,
    plus: flags.has('+'),
    sharp: flags.has('#'),
    space: flags.has(' '),
    zero: flags.has('0') && !minus,
    width: width === undefined ? undefined : Math.abs(width),
    precision: precision !== undefined && precision < 0 ? undefined : precision,
  };
  printArgument(directive, args, sink);
  return reading.position + verb.length;
}

function printArgument(directive: Directive, args: ArgumentCursor, sink: TextSink): void {
  if (directive.verb === '%') {
    sink.add('%');
    return;
  }
  const value = args.take();
  if (value === undefined) sink.add(`%!${directive.verb}(MISSING)`);
  else if (directive.verb === 'T') sink.add(pad(directive, typeName(value)));
  else printWith(value, sink, 0, (scalar) => formatScalar(directive, scalar));
}

function printExtra(extra: readonly Value[], sink: TextSink): void {
  sink.add('%!(EXTRA ');
  for (const [index, value] of extra.entries()) {
    if (index > 0) sink.add(', ');
    if (value === null) sink.add('<nil>');
    else {
      sink.add(`${typeName(value)}=`);
      printWith(value, sink, 0, (scalar) => formatScalar(plainDirective, scalar));
    }
  }
  sink.add(')');
}

const plainDirective: Directive = {
  verb: 'v',
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
};

function readFlags(reading: Reading): Set<string> {
  const flags = new Set<string>();
  while ('+-# 0'.includes(reading.format.charAt(reading.position) || '.')) {
    flags.add(reading.format.charAt(reading.position));
    reading.position += 1;
  }
  return flags;
}

/** `[2]` makes the second argument the next. */
function readArgumentIndex(reading: Reading, args: ArgumentCursor): void {
  if (reading.format.charAt(reading.position) !== '[') return;
  const close = reading.format.indexOf(']', reading.position);
  const digits = reading.format.slice(reading.position + 1, close);
  if (close < 0 || !/^\d{1,4}$/.test(digits) || digits === '0') {
    throw new TemplateFailure('the format has a bad argument index');
  }
  args.next = Number(digits) - 1;
  args.reordered = true;
  reading.position = close + 1;
}

function readSize(reading: Reading, args: ArgumentCursor): number | undefined {
  if (reading.format.charAt(reading.position) !== '*') return readDigits(reading);
  reading.position += 1;
  const value = args.take();
  if (typeof value !== 'bigint') throw new TemplateFailure('the format wants an integer for `*`');
  return checkedSize(Number(value));
}

function readPrecision(reading: Reading, args: ArgumentCursor): number | undefined {
  if (reading.format.charAt(reading.position) !== '.') return undefined;
  reading.position += 1;
  readArgumentIndex(reading, args);
  return readSize(reading, args) ?? 0;
}

function readDigits(reading: Reading): number | undefined {
  const start = reading.position;
  while (isDigit(reading.format.charCodeAt(reading.position))) reading.position += 1;
  if (reading.position === start) return undefined;
  return checkedSize(Number(reading.format.slice(start, reading.position)));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function checkedSize(size: number): number {
  if (Math.abs(size) <= formatWidthMax) return size;
  throw new TemplateFailure(`the format asks for more than ${formatWidthMax} places`);
}
