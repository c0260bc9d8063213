import { healthRoutes } from '../../../src/api/health/routes';
import { type ApiServer, startApi } from './api-server';

const parts = { database: true, engine: true, worker: true, keys: true };
let api: ApiServer;

beforeAll(async () => {
  api = await startApi({ routes: healthRoutes({ readiness: async () => parts }) });
});
afterAll(() => api.close());

test('alive needs nothing, ready needs every part and says which does not answer', async () => {
  expect((await api.call('GET', '/health/live')).status).toBe(200);
  expect((await api.call('GET', '/health/ready')).json).toEqual({
    status: 'up',
    database: 'up',
    engine: 'up',
    worker: 'up',
    keys: 'up',
  });
  parts.worker = false;
  const notReady = await api.call('GET', '/health/ready');
  expect([notReady.status, notReady.headers.get('retry-after')]).toEqual([503, '1']);
  expect(notReady.json).toMatchObject({ status: 'down', engine: 'up', worker: 'down' });
  expect((await api.call('GET', '/health/live')).status).toBe(200);
});
