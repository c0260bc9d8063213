import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessorHttp } from '../../../../src/edge/processors/http';

let asked = 0;
let broken = true;
const server = createServer((request, response) => {
  asked += 1;
  if (broken) request.socket.destroy();
  else response.end('{}');
});
let http: ProcessorHttp;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  http = new ProcessorHttp({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 2_000, headers: {} });
});
afterAll(async () => {
  await http.close();
  server.close();
});

const inquire = () => http.send({ method: 'GET', path: '/charges', headers: {} });

async function untilOneIs(kind: string): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if ((await inquire()).kind === kind) return;
    await sleep(5);
  }
  throw new Error(`no call was ${kind}`);
}

test('a processor that keeps failing is left alone, which charges nothing, and is used again once it answers', async () => {
  expect((await inquire()).kind).toBe('unknown');
  await untilOneIs('not_charged');
  const before = asked;
  expect(await inquire()).toMatchObject({ kind: 'not_charged', detail: expect.stringContaining('circuit is open') });
  expect(asked).toBe(before);
  broken = false;
  await untilOneIs('answer');
  expect((await inquire()).kind).toBe('answer');
});
