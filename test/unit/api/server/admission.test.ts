import type { IncomingMessage } from 'node:http';
import { Admission } from '../../../../src/api/server/entrance/admission';
import { AnonymousLimit, RateLimit } from '../../../../src/api/server/middleware/rate-limit';

/** Who is counted where, at the authorization server of third-party providers. */

const SOURCE = '203.0.113.7';
const PER_SECOND = 3;
let asked: number;
let isAway: boolean;

const admission = () =>
  new Admission(
    {
      byCertificate: async ({ certificate }) => {
        asked += 1;
        if (isAway) throw new Error('the database is away');
        return ((certificate as unknown as string) === 'unknown' ? undefined : { id: certificate }) as never;
      },
    },
    new RateLimit(PER_SECOND),
    new AnonymousLimit(PER_SECOND),
  );
/** A connection; `certificate`: what it has shown. */
const connection = (certificate?: string) => ({ authorized: true, getPeerX509Certificate: () => certificate });
const request = (socket: object) => ({ method: 'POST', socket }) as unknown as IncomingMessage;
/** How many of 20 requests are let through, taken in turn over these connections. */
async function passed(admitting: Admission, ...sockets: object[]): Promise<number> {
  let passes = 0;
  for (let i = 0; i < 20; i += 1) {
    const socket = sockets[i % sockets.length]!;
    const isIn = await admitting.admit(request(socket), SOURCE).then(
      () => true,
      (error) => {
        expect(error).toMatchObject({ code: 'rate_limited' });
        return false;
      },
    );
    if (isIn) passes += 1;
  }
  return passes;
}

beforeEach(() => {
  asked = 0;
  isAway = false;
  jest.spyOn(performance, 'now').mockReturnValue(1_000);
});
afterEach(() => jest.restoreAllMocks());

test('providers behind one address are counted apart, each over all its connections', async () => {
  const admitting = admission();
  expect(await passed(admitting, connection('tpp_1'), connection('tpp_1'))).toBe(PER_SECOND);
  expect(await passed(admitting, connection('tpp_2'))).toBe(PER_SECOND);
  expect(await passed(admitting, connection())).toBe(PER_SECOND);
});

test('a certificate that nobody has registered counts by its source', async () => {
  const admitting = admission();
  expect(await passed(admitting, connection('unknown'), connection('unknown'), connection())).toBe(PER_SECOND);
  expect(asked).toBe(2);
});

test('a certificate is looked up once for each connection, and again when the database was away', async () => {
  const admitting = admission();
  const socket = connection('tpp_1');
  isAway = true;
  await admitting.admit(request(socket), SOURCE);
  isAway = false;
  expect(await passed(admitting, socket)).toBe(PER_SECOND);
  expect(asked).toBe(2);
});
