import Joi from 'joi';
import { type Route, route } from '../server/route';

/** Whether each part answers. */
export type Readiness = () => Promise<Record<'database' | 'engine' | 'worker' | 'keys', boolean>>;

const part = Joi.string().valid('up', 'down').required();

/** `/health/live`: this process runs. `/health/ready`: everything a payment needs answers. */
export function healthRoutes({ readiness }: { readiness: Readiness }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health/live',
      area: 'Health',
      summary: 'Is the process alive?',
      roles: 'public',
      responses: {
        200: {
          description: 'The process is alive',
          schema: Joi.object({ status: Joi.string().valid('up').required() }),
        },
      },
      handler: async () => ({ status: 200, body: { status: 'up' } }),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      area: 'Health',
      summary: 'Can the service take payments?',
      description:
        'The database, the engine and at least one worker must answer, and the keys must be there: a key service that ' +
        'keeps them has unwrapped them in time. With 503 the body says which part is missing.',
      roles: 'public',
      responses: Object.fromEntries(
        [[200, 'All parts answer'] as const, [503, 'At least one part does not answer'] as const].map(
          ([status, description]) => [
            status,
            {
              description,
              schema: Joi.object({ status: part, database: part, engine: part, worker: part, keys: part }),
            },
          ],
        ),
      ),
      async handler() {
        const parts = Object.entries(await readiness());
        const ready = parts.every(([, answers]) => answers);
        const states = Object.fromEntries(parts.map(([name, answers]) => [name, answers ? 'up' : 'down']));
        return {
          status: ready ? 200 : 503,
          body: { status: ready ? 'up' : 'down', ...states },
          headers: ready ? undefined : { 'Retry-After': '1' },
        };
      },
    }),
  ];
}
