import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Attack, strikeAll, tableOf } from '../../../../src/sandbox/cli/attack/attack';
import { BODY_ATTACKS } from '../../../../src/sandbox/cli/attack/bodies';
import { CALLBACK_ATTACKS } from '../../../../src/sandbox/cli/attack/callbacks';
import { Place } from '../../../../src/sandbox/cli/attack/place';
import { TOKEN_ATTACKS } from '../../../../src/sandbox/cli/attack/tokens';
import type { Credentials } from '../../../../src/sandbox/cli/sandbox';

const client = { clientId: 'cli_1', clientSecret: 'secret' };
const clients = { merchant: client, tenantAdmin: client, ops: client };
const credentialsAt = (url: string) =>
  ({
    apiUrl: url,
    authUrl: url,
    simulatorUrl: url,
    tenantId: 'ten_1',
    organizationId: 'org_1',
    clients,
    other: { tenantId: 'ten_2', organizationId: 'org_2', clients },
    processorSecrets: { a: 'secret' },
  }) as unknown as Credentials;

describe('a platform with every hole', () => {
  let server: Server;
  let place: Place;

  beforeAll(async () => {
    // Takes whatever comes, and gives back what was sent.
    server = createServer(async (request, response) => {
      let sent = '';
      for await (const chunk of request.setEncoding('latin1')) sent += chunk;
      const data = { paymentId: 'pay_1', transactionStatus: 'authorized', amounts: {} };
      const body = { access_token: 'token', data, received: true, duplicate: false, sent: sent.slice(0, 1_000) };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    place = await Place.enter(credentialsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const names = (attacks: readonly Attack[], ...but: string[]) =>
    attacks.filter(({ name }) => !but.some((word) => name.includes(word)));

  test.each([
    // The server has no files.
    ['bodies', names(BODY_ATTACKS, 'the folder of the console')],
    ['callbacks', names(CALLBACK_ATTACKS, 'sent again')],
    // They need a customer, and a wait until a token has ended.
    ['tokens', names(TOKEN_ATTACKS, 'a password is guessed', 'that was ended')],
  ])('is seen through: %s', async (_what, attacks) => {
    const outcomes = await strikeAll(attacks, place);
    expect(outcomes.filter(({ ok }) => ok).map(({ name }) => name)).toEqual([]);
    expect(tableOf(outcomes).match(/THROUGH/g)).toHaveLength(attacks.length);
  });
});

test('an attack that fails on its way has not been held off', async () => {
  const attack: Attack = {
    name: 'a try',
    point: 'ASVS 8.2.1',
    expected: '401',
    strike: () => Promise.reject(new Error('nothing answers')),
  };
  const place = {} as Place;
  expect(await strikeAll([attack], place)).toMatchObject([{ seen: 'error: nothing answers', ok: false }]);
  const held = { ...attack, strike: async () => '401' };
  const outcomes = await strikeAll([held], place);
  expect(outcomes).toMatchObject([{ ok: true }]);
  expect(tableOf(outcomes)).toBe('attack  point       expected  seen\na try   ASVS 8.2.1  401       401   ok');
});

test.each(['http://192.0.2.7:8080', 'https://bank.example', 'http://127.0.0.1.example:80'])(
  'nothing is attacked at %s',
  async (url) => {
    await expect(Place.enter(credentialsAt(url))).rejects.toThrow('only a sandbox at 127.0.0.1 is attacked');
  },
);
