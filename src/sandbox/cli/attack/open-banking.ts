import { randomUUID } from 'node:crypto';
import { consentRecord, exchangeOf, tokenOf } from '../demo/consent';
import { Entrance, type EntranceReply } from '../demo/entrance';
import type { Attack } from './attack';
import type { Place } from './place';

const BASE = '/open-banking/2.0.0';
const ORDER = {
  Data: {
    Initiation: {
      InstructionIdentification: 'attack-1',
      EndToEndIdentification: 'attack-1',
      InstructedAmount: { Amount: '1.00', Currency: 'EUR' },
      CreditorAccount: {
        SchemeName: 'UK.OBIE.IBAN',
        Identification: 'DE89370400440532013000',
        Name: 'Mallory',
      },
    },
  },
  Risk: {},
};

/** Attacks at the entrance of third-party providers. */
export const OPEN_BANKING_ATTACKS: Attack[] = [
  {
    name: 'a call of a provider past the entrance',
    point: 'ASVS 10.3.5',
    expected: '401',
    strike: async (place) => {
      const authorization = await as(place, 'provider', (entrance) => tokenOf(entrance, 'accounts'));
      return said(await place.nobody.get(`${BASE}/accounts`, { authorization }));
    },
  },
  {
    name: "a provider's token without its certificate",
    point: 'ASVS 10.3.5',
    expected: '401',
    strike: (place) => stolen(place, 'nobody'),
  },
  {
    name: "a provider's token with the certificate of another",
    point: 'ASVS 10.3.5',
    expected: '401',
    strike: (place) => stolen(place, 'rival'),
  },
  {
    name: 'a token for a password',
    point: 'ASVS 10.4.4',
    expected: '400',
    strike: (place) =>
      as(place, 'provider', async (entrance) => {
        const form = new URLSearchParams({ grant_type: 'password', username: 'ada', password: 'guess' });
        return said(await entrance.send('/token', { form }));
      }),
  },
  {
    name: 'a code sent to an address that is not registered',
    point: 'ASVS 10.4.1',
    expected: '400, sent nowhere',
    strike: (place) => asked(place, { redirect_uri: 'https://mallory.example/' }),
  },
  {
    name: 'a token straight from the page (implicit)',
    point: 'ASVS 10.4.4',
    expected: 'no token',
    strike: async (place) =>
      (await asked(place, { response_type: 'token' })).includes('access_token=') ? 'a token' : 'no token',
  },
  {
    name: 'a code without a proof key (PKCE)',
    point: 'ASVS 10.4.6',
    expected: '303, invalid_request',
    strike: (place) => asked(place, {}),
  },
  {
    name: 'an order to pay without a signature',
    point: 'ASVS 4.1.5',
    expected: '400 UK.OBIE.Signature.Missing',
    strike: (place) => ordered(place, undefined),
  },
  {
    name: 'an order to pay whose signature has alg none',
    point: 'ASVS 9.1.2',
    expected: '400 UK.OBIE.Signature.InvalidClaim',
    strike: (place) => {
      const { kid, iss, tan } = place.credentials.tpp;
      const [at, who, where] = ['iat', 'iss', 'tan'].map((claim) => `http://openbanking.org.uk/${claim}`);
      const header = {
        alg: 'none',
        kid,
        crit: [at, who, where],
        [at!]: Math.floor(Date.now() / 1_000),
        [who!]: iss,
        [where!]: tan,
      };
      return ordered(place, `${Buffer.from(JSON.stringify(header)).toString('base64url')}..AA`);
    },
  },
  {
    name: 'a code that was used',
    point: 'ASVS 10.4.2',
    expected: '200, 400, then its token 401',
    strike: async (place) => {
      const credentials = { ...place.credentials, customer: await place.victim() };
      return as(place, 'provider', async (entrance) => {
        const authorization = await tokenOf(entrance, 'accounts');
        const { authorisationUrl } = await entrance.call<{ authorisationUrl: string }>(`${BASE}/consent`, {
          headers: { authorization },
          json: Buffer.from(JSON.stringify(consentRecord(credentials))),
        });
        const form = await exchangeOf(credentials, authorisationUrl);
        const [first, second] = [await entrance.send('/token', { form }), await entrance.send('/token', { form })];
        const { access_token: token } = JSON.parse(first.text);
        const read = await entrance.send(`${BASE}/accounts`, { headers: { authorization: `Bearer ${token}` } });
        return `${first.status}, ${second.status}, then its token ${read.status}`;
      });
    },
  },
];

type Who = 'provider' | 'rival' | 'nobody';

/** Calls the entrance as the provider, as another one, or without a certificate. */
async function as<T>(
  { credentials: { authUrl, tpp, other } }: Place,
  who: Who,
  call: (entrance: Entrance) => Promise<T>,
): Promise<T> {
  const shown = { provider: tpp, rival: other.tpp, nobody: { caPath: tpp.caPath } };
  const entrance = new Entrance(authUrl, shown[who]);
  try {
    return await call(entrance);
  } finally {
    await entrance.close();
  }
}

const said = ({ status }: { status: number }) => `${status}`;

/** Reads accounts with a token of the provider, as somebody else. */
async function stolen(place: Place, who: Who): Promise<string> {
  const authorization = await as(place, 'provider', (entrance) => tokenOf(entrance, 'accounts'));
  return as(place, who, async (entrance) =>
    said(await entrance.send(`${BASE}/accounts`, { headers: { authorization } })),
  );
}

/** Orders a payment with this signature. Answers the status, and what was wrong. */
function ordered(place: Place, signature: string | undefined): Promise<string> {
  return as(place, 'provider', async (entrance) => {
    const authorization = await tokenOf(entrance, 'payments');
    const { status, text } = await entrance.send(`${BASE}/domestic-payment-consents`, {
      headers: {
        authorization,
        'x-idempotency-key': randomUUID(),
        ...(signature !== undefined && { 'x-jws-signature': signature }),
      },
      json: Buffer.from(JSON.stringify(ORDER)),
    });
    const { Errors = [] } = JSON.parse(text) as { Errors?: { ErrorCode: string }[] };
    return [status, ...Errors.map(({ ErrorCode }) => ErrorCode)].join(' ');
  });
}

/** Comes as a customer that a provider has sent, with these parameters changed. Answers the status and where it leads. */
async function asked(place: Place, changed: Record<string, string>): Promise<string> {
  const { tpp } = place.credentials;
  const query = new URLSearchParams({
    client_id: tpp.clientId,
    response_type: 'code',
    scope: 'openid accounts',
    redirect_uri: tpp.redirectUri,
    state: randomUUID(),
    ...changed,
  });
  const reply = await as(place, 'nobody', (entrance) => entrance.send(`/authorize?${query}`));
  return `${reply.status}, ${leadsTo(reply)}`;
}

function leadsTo({ location }: EntranceReply): string {
  if (!location) return 'sent nowhere';
  return new URL(location, 'https://here.example').searchParams.get('error') ?? location;
}
