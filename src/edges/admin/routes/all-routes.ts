import { route, type AdminRoute } from '../route.ts';
import { clockRoutes } from './clock-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { logRoutes } from './log-routes.ts';
import { matchingRoutes } from './matching-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { stubRoutes } from './stub-routes.ts';

const getDescription = route<object, object, undefined>({
  method: 'GET',
  path: '/api/openapi.json',
  tag: 'description',
  summary: 'The OpenAPI description of administration',
  ok: {
    status: 200,
    description: 'This document (OpenAPI 3.1).',
    schema: { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true },
  },
  async serve(_, { description }) {
    return { status: 200, body: await description() };
  },
});

/** Everything that administration does; `docs/administration.md` lists the same. */
export const adminRoutes: readonly AdminRoute[] = [
  ...stubRoutes,
  ...matchingRoutes,
  ...serviceRoutes,
  ...historyRoutes,
  ...logRoutes,
  ...explainRoutes,
  ...clockRoutes,
  ...healthRoutes,
  getDescription,
];

/** Served without the token: whoever may not see anything may still ask whether somebody is there. */
export const openPaths: ReadonlySet<string> = new Set(healthRoutes.map((route) => route.path));
