import { ProblemError } from '../problem.ts';
import { logProblem } from '../errors.ts';
import { refusal } from '../problem.ts';
import { route, type AdminRoute } from '../route.ts';
import { okSchema, timeText } from '../shared.ts';

const example = { message: 'ok', time: '2026-01-01T00:00:00.000Z' };

const getLiveness = route<object, object, undefined>({
  method: 'GET',
  path: '/api/health/liveness',
  tag: 'health',
  summary: 'Whether the process answers',
  description: 'Needs no token.',
  ok: { status: 200, description: 'It does.', schema: okSchema, example },
  serve: (_, { simulator }) => ({
    status: 200,
    body: { message: 'ok', time: timeText(simulator.world().at) },
  }),
});

const getReadiness = route<object, object, undefined>({
  method: 'GET',
  path: '/api/health/readiness',
  tag: 'health',
  summary: 'Whether calls are taken',
  description: 'Needs no token. Not while the process starts or stops, nor while its log takes nothing in.',
  ok: { status: 200, description: 'They are.', schema: okSchema, example },
  serve(_, { simulator, isReady }) {
    const trouble = simulator.trouble();
    if (trouble !== undefined) throw new ProblemError(logProblem(trouble));
    if (!isReady()) throw refusal('DT_LOG_UNAVAILABLE', 'the process is starting or stopping');
    return { status: 200, body: { message: 'ok', time: timeText(simulator.world().at) } };
  },
});

export const healthRoutes: readonly AdminRoute[] = [getLiveness, getReadiness];
