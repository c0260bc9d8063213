import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Connector, ProcessorUnavailable } from '../../../../src/domain/connector';
import { createConnectorA } from '../../../../src/edge/processors/a';

let server: Server;
let connector: Connector;
let answer: { status: number; body: string };
let asked: string | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.url;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  connector = createConnectorA({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', timeoutMs: 2_000 });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const says = (fields: object, status = 200) => {
  answer = { status, body: JSON.stringify({ updateId: 'upd_1', reference: 'pay_1', ...fields }) };
  return connector.cardUpdate!('upd_1', 'pay_1');
};
const card = { expiryMonth: '03', expiryYear: '2036' };

describe('what processor A says of a card update:', () => {
  test('a new expiry, a new number, the end', async () => {
    expect(await says({ status: 'UPDATED', card })).toEqual({ kind: 'renewed', ...card });
    expect(asked).toBe('/v1/card-updates/upd_1');
    const number = '4111111111111111';
    expect(await says({ status: 'UPDATED', card: { ...card, number } })).toEqual({ kind: 'renewed', ...card, number });
    expect(await says({ status: 'CLOSED' })).toEqual({ kind: 'closed' });
  });

  test('nothing, where there is no such update or it is of another card', async () => {
    expect(await says({}, 404)).toBeUndefined();
    expect(await says({ status: 'CLOSED', reference: 'pay_2' })).toBeUndefined();
  });

  test.each([
    ['a failure', {}, 500],
    ['a word that is unknown', { status: 'constructor', card }, 200],
    ['no card', { status: 'UPDATED' }, 200],
    ['an expiry that is none', { status: 'UPDATED', card: { ...card, expiryMonth: '13' } }, 200],
    ['a number that is none', { status: 'UPDATED', card: { ...card, number: 4111111111111111 } }, 200],
  ])('%s, which is asked again', async (_what, fields, status) => {
    const refused = await says(fields, status).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProcessorUnavailable);
    expect((refused as Error).message).not.toMatch(/\d{12}/);
  });
});
