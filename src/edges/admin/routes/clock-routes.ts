import { parseDurationMs } from '../../../core/kernel/duration.ts';
import type { ClockMode } from '../../../core/simulator/events.ts';
import type { Simulator } from '../../../core/simulator/simulator.ts';
import { refusal } from '../problem.ts';
import { entryHeader, route, type AdminRoute, type Answer, type Schema } from '../route.ts';
import { entryHeaderSchema, timeSchema, timeText } from '../shared.ts';
import { durableWorld } from '../durable-world.ts';

const modes = ['system', 'virtual', 'auto'] as const;

const clockSchema: Schema = {
  type: 'object',
  required: ['mode', 'at', 'time', 'seq'],
  properties: {
    mode: {
      type: 'string',
      enum: modes,
      description: '`system` follows the wall clock, `virtual` moves when told, `auto` jumps to what is due.',
    },
    at: { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00:00Z.' },
    time: timeSchema,
    seq: { type: 'integer', minimum: 0, description: 'The last durable entry.' },
  },
  additionalProperties: false,
};
const clockExample = { mode: 'virtual', at: 1767225600000, time: '2026-01-01T00:00:00.000Z', seq: 118 };

const getClock = route<object, object, undefined>({
  method: 'GET',
  path: '/api/clock',
  tag: 'clock',
  summary: "What time the log's clock shows",
  ok: { status: 200, description: 'The clock.', schema: clockSchema, example: clockExample },
  serve: (_, { simulator }) => clockAnswer(simulator),
});

interface ClockCommand {
  readonly advance?: string;
  readonly set?: string;
  readonly runTo?: string;
  readonly freeze?: true;
  readonly mode?: ClockMode;
}

const momentSchema: Schema = { type: 'string', description: 'RFC 3339, such as `2026-01-01T00:00:00Z`.' };

const postClock = route<object, object, ClockCommand>({
  method: 'POST',
  path: '/api/clock',
  tag: 'clock',
  summary: 'Move the clock, or change how it moves',
  description:
    'One of: `advance` by a duration, `set` or `runTo` a moment (the same: whatever is due on the way happens, in order, ' +
    'and time never goes back), `freeze` (the mode `virtual`), `mode`. A clock that follows the wall clock is not moved: freeze it first.',
  body: {
    schema: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      properties: {
        advance: { type: 'string', description: 'Such as `5m` or `1h30m`; units ms, s, m, h.' },
        set: momentSchema,
        runTo: momentSchema,
        freeze: { type: 'boolean', const: true },
        mode: { type: 'string', enum: modes },
      },
      additionalProperties: false,
    },
    example: { advance: '5m' },
  },
  ok: {
    status: 200,
    description: 'The clock afterwards.',
    schema: clockSchema,
    headers: entryHeaderSchema,
    example: clockExample,
  },
  problems: ['DT_CLOCK_REFUSED'],
  async serve({ body }, { simulator }) {
    const { advance, set, runTo, freeze, mode } = body;
    if (freeze === true) await simulator.setClockMode('virtual');
    else if (mode !== undefined) await simulator.setClockMode(mode);
    else
      await move(
        simulator,
        advance === undefined ? momentIn(set ?? runTo ?? '') : afterwards(simulator, advance),
      );
    const answer = await clockAnswer(simulator);
    return { ...answer, headers: { [entryHeader]: String(simulator.head().seq) } };
  },
});

async function move(simulator: Simulator, to: number): Promise<void> {
  const { at, clockMode } = simulator.world();
  if (clockMode === 'system') {
    throw refusal('DT_CLOCK_REFUSED', 'the clock follows the wall clock; freeze it first, then move it');
  }
  if (to < at) {
    throw refusal(
      'DT_CLOCK_REFUSED',
      `time does not go back: it is ${timeText(at)}, and ${timeText(to)} was asked for`,
    );
  }
  await simulator.runTo(to);
}

function afterwards(simulator: Simulator, duration: string): number {
  try {
    return simulator.world().at + parseDurationMs(duration);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('/advance', error.message);
    throw error;
  }
}

/** RFC 3339 with any offset; a fraction beyond milliseconds is cut. */
const momentPattern = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function momentIn(text: string): number {
  const [written = '', day = ''] = momentPattern.exec(text.toUpperCase()) ?? [];
  const at = isDay(day) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at)) throw invalid('', 'expected a moment such as 2026-01-01T00:00:00Z');
  return at;
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function invalid(pointer: string, message: string): Error {
  return refusal('DT_REQUEST_INVALID', message, { violations: [{ in: 'body', pointer, message }] });
}

async function clockAnswer(simulator: Simulator): Promise<Answer> {
  const { seq, at, clockMode } = await durableWorld(simulator);
  return { status: 200, body: { mode: clockMode, at, time: timeText(at), seq } };
}

export const clockRoutes: readonly AdminRoute[] = [getClock, postClock];
