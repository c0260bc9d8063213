import { type ApiServer, startApi } from './api-server';

let api: ApiServer;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (length: number) => `grant_type=client_credentials&client_id=x&pad=${'x'.repeat(length)}`;

test.each([60_000, 2_000_000])('%i bytes are too many for the token endpoint, announced or not', async (length) => {
  const announced = await api.call('POST', '/auth/1.0.0/token', { headers, body: form(length) });
  const chunked = await fetch(`${api.baseUrl}/auth/1.0.0/token`, {
    method: 'POST',
    headers,
    body: new Blob([form(length)]).stream(),
    duplex: 'half',
  } as RequestInit);
  const refusal = { error: 'invalid_request', error_description: expect.stringContaining('may have at most') };
  expect([announced.status, announced.json]).toEqual([413, refusal]);
  expect([chunked.status, await chunked.json()]).toEqual([413, refusal]);
});

test('a body of ordinary size is read', async () => {
  expect((await api.call('POST', '/auth/1.0.0/token', { headers, body: form(50_000) })).status).toBe(401);
});
