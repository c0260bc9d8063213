import { randomUUID } from 'node:crypto';
import type { Attack } from './attack';
import { type Place, tokenFor } from './place';

const PAYMENTS = '/ipg/1.0.0/payment/payments';
const TRIES = 11;
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Comes without a right, or with somebody else's. */
export const TOKEN_ATTACKS: Attack[] = [
  {
    name: 'a request without a token',
    point: 'ASVS 8.2.1',
    expected: '401',
    strike: async ({ nobody }) => said(await nobody.get(PAYMENTS)),
  },
  {
    name: 'a token that nobody gave out',
    point: 'ASVS 7.2.1',
    expected: '401',
    strike: (place) => bearing(place, randomUUID()),
  },
  {
    name: 'a JWT that its bearer wrote, with alg none',
    point: 'ASVS 9.1.2',
    expected: '401',
    strike: (place) => {
      const claims = { sub: 'admin', scope: 'tenant_admin', exp: Math.floor(Date.now() / 1_000) + 3_600 };
      return bearing(place, `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url(claims)}.`);
    },
  },
  {
    name: 'a token in the address',
    point: 'ASVS 14.2.1',
    expected: '401',
    strike: async ({ nobody, merchant }) =>
      said(await nobody.get(`${PAYMENTS}?access_token=${merchant.headers.authorization!.slice('Bearer '.length)}`)),
  },
  {
    name: 'a token that was ended',
    point: 'ASVS 7.4.1',
    expected: '401',
    strike: async (place) => {
      const { clientId, clientSecret } = place.credentials.clients.merchant;
      const token = await tokenFor(place.nobody, { clientId, clientSecret });
      const form = new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret });
      await place.nobody.post('/auth/1.0.0/revoke', form.toString(), FORM);
      // It ends within a second, in every process.
      await place.until('the end of the token', async () => (await bearing(place, token)) === '401');
      return bearing(place, token);
    },
  },
  {
    name: 'a merchant sets fees, which is for admins',
    point: 'ASVS 8.2.1',
    expected: '403',
    strike: async ({ merchant, credentials: { tenantId } }) =>
      said(await merchant.send('PUT', '/wallet/1.0.0/fees', {}, { tenantid: tenantId })),
  },
  {
    name: 'an admin reads what is for operators',
    point: 'ASVS 8.2.1',
    expected: '403',
    strike: async ({ admin }) => said(await admin.get('/ops/1.0.0/receipts')),
  },
  {
    name: 'a client secret is guessed eleven times',
    point: 'PCI DSS 8.3.4',
    expected: '10 x 401, 429',
    strike: async ({ nobody }) => {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: `guessed-${randomUUID()}`,
        client_secret: 'guess',
      });
      return counted(TRIES, async () => said(await nobody.post('/auth/1.0.0/token', form.toString(), FORM)));
    },
  },
  {
    name: 'a password is guessed ten times, then typed right',
    point: 'PCI DSS 8.3.4',
    expected: 'no token',
    strike: async (place) => {
      const { email, password } = await place.victim();
      const { tenantId } = place.credentials;
      const signIn = (typed: string) =>
        place.nobody.post('/auth/1.0.0/customers/token', { tenantId, email, password: typed });
      await counted(TRIES - 1, async () => said(await signIn('a wrong guess of mine')));
      return (await signIn(password)).body.access_token ? 'a token' : 'no token';
    },
  },
];

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const said = ({ status }: { status: number }) => `${status}`;

const bearing = async ({ nobody, credentials: { organizationId } }: Place, token: string) =>
  said(await nobody.get(PAYMENTS, { authorization: `Bearer ${token}`, organizationid: organizationId }));

/** What was said at each try, as `10 x 401, 429`. */
async function counted(tries: number, strike: () => Promise<string>): Promise<string> {
  const seen = new Map<string, number>();
  for (let done = 0; done < tries; done += 1) {
    const answer = await strike();
    seen.set(answer, (seen.get(answer) ?? 0) + 1);
  }
  return [...seen].map(([answer, times]) => (times === 1 ? answer : `${times} x ${answer}`)).join(', ');
}
