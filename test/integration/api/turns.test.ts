import { until } from '../../e2e/client';
import { type ApiServer, startApi } from './api-server';
import { Behaviour, sampleRoutes } from './sample-routes';

/** What one client sends at a time, and what all processes of the API take from it together. */

const behaviour = new Behaviour();
const routes = sampleRoutes(behaviour);
const servers: ApiServer[] = [];

async function start(env: Record<string, string>): Promise<ApiServer> {
  const api = await startApi({ routes, env, seeded: servers[0]?.seeded });
  servers.push(api);
  return api;
}

afterEach(async () => {
  for (const api of servers.splice(0)) await api.close();
});

test('who waits too long for a turn is refused with nothing done, and reading goes on', async () => {
  const api = await start({ API_AT_ONCE: '1', API_TURN_WAIT_MS: '20' });
  const token = await api.tokenOf(api.seeded.clients.merchant);
  const headers = { organizationId: api.seeded.organizationId };
  let open = () => {};
  behaviour.gate = new Promise((resolve) => {
    open = resolve;
  });
  const body = { amount: '1.00', currency: 'EUR' };
  const sent = Array.from({ length: 20 }, () => api.call('POST', '/things', { token, headers, body }));
  const refused = await Promise.race(sent);
  expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await api.call('GET', '/things', { token })).status).toBe(200);
  open();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(behaviour.executions).toHaveLength(statuses.filter((status) => status === 201).length);
});

test('processes share the limit of a client evenly', async () => {
  const env = { API_RATE_LIMIT_PER_SECOND: '2' };
  const one = await start(env);
  await one.app.start();
  const other = await start(env);
  await other.app.start();
  const token = await other.tokenOf(other.seeded.clients.merchant);
  await until('the other has seen both, and takes one a second', async () => {
    const sent = [1, 2, 3, 4].map(() => other.call('GET', '/things', { token }));
    return (await Promise.all(sent)).filter(({ status }) => status === 200).length === 1;
  });
});
