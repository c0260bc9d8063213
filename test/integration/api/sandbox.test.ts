import type { Letter } from '../../../src/api/mailbox/mailbox';
import { sandboxRoutes } from '../../../src/api/mailbox/routes';
import { type ApiServer, startApi } from './api-server';

const letter: Letter = {
  id: 'let_1',
  channel: 'email',
  from: 'no-reply@tillway.example',
  to: 'ada@example.com',
  subject: '<b>Hello</b>',
  text: 'Open https://example.org/?a=1&b=2 now <script>alert(1)</script>',
  receivedAt: '2026-01-31T12:00:00.000Z',
};

let api: ApiServer;
afterEach(() => api.close());

test('outside the sandbox there is no mailbox', async () => {
  api = await startApi({ routes: sandboxRoutes({}) });
  expect((await api.call('GET', '/sandbox/mailbox')).status).toBe(404);
});

test('the page shows what a message says, not what it does, and its links can be followed', async () => {
  api = await startApi({ routes: sandboxRoutes({ mailbox: async (to) => (to === letter.to ? [letter] : []) }) });
  const page = await api.call('GET', '/sandbox/mailbox?to=ada@example.com&format=html');
  expect(page.text).not.toMatch(/<script|<b>/);
  expect(page.text).toContain('<a href="https://example.org/?a=1&amp;b=2">');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await api.call('GET', '/sandbox/mailbox?to=ada@example.com')).json).toEqual({ data: [letter] });
  expect((await api.call('GET', '/sandbox/mailbox?to=eve@example.com')).json).toEqual({ data: [] });
});
