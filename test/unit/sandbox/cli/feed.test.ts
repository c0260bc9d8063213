import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Merchant } from '../../../../src/sandbox/cli/merchant';
import { Feed } from '../../../../src/sandbox/cli/tillway/feed';
import { until } from '../../../e2e/client';

/** Stands in for an API that goes away and comes back, which a test cannot do to the one that all share. */
class StandIn {
  events = 0;
  token = 1;
  down = false;
  private server?: Server;
  private port = 0;

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (this.down) return answer(503, {});
      if (request.url?.startsWith('/auth')) return answer(200, { access_token: `${this.token}` });
      if (request.headers.authorization !== `Bearer ${this.token}`) return answer(401, {});
      const after = new URL(request.url!, 'http://stand-in').searchParams.get('after');
      const from = after === 'latest' ? this.events : Number(after);
      const data = Array.from({ length: this.events - from }, (_, n) => ({ id: `evt_${from + n}` }));
      answer(200, { data, nextCursor: `${this.events}` });
    });
    await new Promise<void>((resolve) => this.server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

test('a feed goes on where it was when the API comes back, and signs in again when its token is no longer good', async () => {
  const api = new StandIn();
  const apiUrl = await api.start();
  const notes: string[] = [];
  const seen: string[] = [];
  const end = new AbortController();
  const account = { apiUrl, organizationId: 'org_1', clientId: 'cli_1', clientSecret: 'secret' };
  const feed = await Feed.open(new Merchant(account), (line) => notes.push(line));
  const following = (async () => {
    for await (const events of feed.follow(end.signal)) seen.push(...events.map(({ id }) => id));
  })();
  const comes = (count: number) => until(`${count} events`, async () => seen.length === count);

  api.events = 2;
  await comes(2);
  await api.stop();
  await until('it is missed', async () => notes.length === 1);
  api.events = 3;
  api.token = 2;
  await api.start();
  await comes(3);
  api.down = true;
  await until('it is missed', async () => notes.length === 3);
  api.events = 5;
  api.down = false;
  await comes(5);
  end.abort();
  await following;
  await api.stop();
  expect(seen).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4']);
  expect(notes).toEqual([
    expect.stringContaining('nothing answers at'),
    'It is back.',
    expect.stringContaining('503'),
    'It is back.',
  ]);
});
