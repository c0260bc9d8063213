import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { FlattenedSign, type JWSHeaderParameters } from 'jose';
import { ObieError } from '../../../../src/open-banking/obie-error';
import { CLAIMS, CRITICAL } from '../../../../src/open-banking/signatures/header';
import { signDetached } from '../../../../src/open-banking/signatures/sign';
import { type Expected, verifyDetached } from '../../../../src/open-banking/signatures/verify';

const ISS = 'a-payment-initiator';
const TAN = 'openbanking.example';
const NOW = new Date('2026-01-31T12:00:00Z');
const SECONDS = NOW.getTime() / 1_000;
const BODY = Buffer.from('{"Data":{"Initiation":{"InstructedAmount":{"Amount":"10.00","Currency":"EUR"}}},"é":"\\n"}');

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys: Record<string, KeyObject> = { rsa: rsa.publicKey, elliptic: elliptic.publicKey, short: short.publicKey };

const expected: Expected = {
  keyOf: async (kid) => keys[kid],
  iss: ISS,
  tan: TAN,
  maxAgeMs: 300_000,
  skewMs: 60_000,
  now: NOW,
};
const header = {
  alg: 'PS256',
  kid: 'rsa',
  crit: [...CRITICAL],
  [CLAIMS.issuedAt]: SECONDS,
  [CLAIMS.issuer]: ISS,
  [CLAIMS.trustAnchor]: TAN,
};
const unencoded = { b64: false, crit: ['b64', ...CRITICAL] };

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const verify = (signature: string | undefined, body = BODY, change: Partial<Expected> = {}) =>
  verifyDetached(body, signature, { ...expected, ...change });

/** Signs as a sender who adds `change` to a good header; a member that is undefined is left out. */
async function signed(change: Record<string, unknown> = {}, key: KeyObject = rsa.privateKey): Promise<string> {
  const whole = JSON.parse(JSON.stringify({ ...header, ...change })) as JWSHeaderParameters;
  const crit = Object.fromEntries((Array.isArray(whole.crit) ? whole.crit : []).map((name) => [name, true]));
  const jws = await new FlattenedSign(BODY).setProtectedHeader(whole).sign(key, { crit });
  return `${jws.protected}..${jws.signature}`;
}

/** The signature of a good request under a header that jose would not sign. */
async function under(change: Record<string, unknown>): Promise<string> {
  return `${encoded({ ...header, ...change })}..${(await signed()).split('..')[1]}`;
}

async function refusalOf(verifying: Promise<unknown>): Promise<[string, string | undefined]> {
  const error = await verifying.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ObieError)) throw new Error(`not refused by the standard: ${error}`);
  expect(error.status).toBe(400);
  return [error.problems[0].ErrorCode, error.problems[0].Path];
}

describe('what is signed as the standard says is taken', () => {
  it.each([
    ['PS256', {}, rsa.privateKey],
    ['ES256', { alg: 'ES256', kid: 'elliptic' }, elliptic.privateKey],
    ['the form of 3.1.3, with b64 false', unencoded, rsa.privateKey],
    ['ES256 with b64 false', { ...unencoded, alg: 'ES256', kid: 'elliptic' }, elliptic.privateKey],
    ['crit in another order', { crit: [...CRITICAL].reverse() }, rsa.privateKey],
    ['typ and cty', { typ: 'JOSE', cty: 'json' }, rsa.privateKey],
    ['the oldest that is not stale', { [CLAIMS.issuedAt]: SECONDS - 300 }, rsa.privateKey],
    ['the furthest ahead', { [CLAIMS.issuedAt]: SECONDS + 60 }, rsa.privateKey],
  ])('%s', async (_, change, key) => {
    expect(await verify(await signed(change, key))).toBe((change as { kid?: string }).kid ?? 'rsa');
  });

  it('our own answers, by the same rules', async () => {
    const signature = await signDetached(BODY, { key: rsa.privateKey, kid: 'rsa', iss: ISS, tan: TAN, now: NOW });
    expect(await verify(signature)).toBe('rsa');
    const empty = await signDetached(Buffer.alloc(0), {
      key: rsa.privateKey,
      kid: 'rsa',
      iss: ISS,
      tan: TAN,
      now: NOW,
    });
    expect(await verify(empty, Buffer.alloc(0))).toBe('rsa');
  });

  it('keys that the sender publishes as JWK', async () => {
    const jwk = rsa.publicKey.export({ format: 'jwk' });
    const keyOf = async () => ({ ...jwk, kid: 'rsa', use: 'sig', alg: 'PS256' });
    expect(await verify(await signed(), BODY, { keyOf })).toBe('rsa');
  });
});

describe('everything else is refused, with the code of the standard', () => {
  it('a request without signature', async () => {
    for (const nothing of [undefined, ''])
      expect(await refusalOf(verify(nothing))).toEqual(['UK.OBIE.Signature.Missing', 'Headers.x-jws-signature']);
  });

  it.each([
    ['not detached', (good: string) => good.replace('..', `.${BODY.toString('base64url')}.`)],
    ['without signature', (good: string) => `${good.split('..')[0]}..`],
    ['without header', (good: string) => `..${good.split('..')[1]}`],
    ['with a part too many', (good: string) => `${good}.more`],
    ['with padding', (good: string) => `${good}==`],
    ['with a header that is not JSON', (good: string) => `bm90IGpzb24..${good.split('..')[1]}`],
    ['with a header that is a list', (good: string) => `${encoded([])}..${good.split('..')[1]}`],
    ['plain text', () => 'signed, the TPP'],
  ])('malformed: %s', async (_, spoil) => {
    expect((await refusalOf(verify(spoil(await signed()))))[0]).toBe('UK.OBIE.Signature.Malformed');
  });

  it.each(['alg', 'kid', 'crit', ...CRITICAL])('a header that lacks %s', async (claim) => {
    expect(await refusalOf(verify(await under({ [claim]: undefined })))).toEqual([
      'UK.OBIE.Signature.MissingClaim',
      `Headers.x-jws-signature.${claim}`,
    ]);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['alg none', 'alg', { alg: 'none' }],
    ['RS256', 'alg', { alg: 'RS256' }],
    ['HS256', 'alg', { alg: 'HS256' }],
    ['PS512', 'alg', { alg: 'PS512' }],
    ['alg in other letters', 'alg', { alg: 'ps256' }],
    ['a list of algs', 'alg', { alg: ['PS256'] }],
    ['a kid of somebody else', 'kid', { kid: 'foreign' }],
    ['a kid that every object has', 'kid', { kid: 'toString' }],
    ['an empty kid', 'kid', { kid: '' }],
    ['a kid that is a number', 'kid', { kid: 1 }],
    ['crit without tan', 'crit', { crit: CRITICAL.slice(0, 2) }],
    ['crit with something more', 'crit', { crit: [...CRITICAL, 'exp'], exp: 1 }],
    ['crit that says one twice', 'crit', { crit: [CLAIMS.issuedAt, CLAIMS.issuedAt, CLAIMS.issuer] }],
    ['crit that is a text', 'crit', { crit: CRITICAL.join() }],
    ['b64 false that crit does not list', 'crit', { b64: false }],
    ['b64 in crit alone', 'crit', { crit: unencoded.crit }],
    ['b64 true', 'b64', { b64: true, crit: unencoded.crit }],
    ['typ of a token', 'typ', { typ: 'JWT' }],
    ['cty of a text', 'cty', { cty: 'text/plain' }],
    ['another issuer', CLAIMS.issuer, { [CLAIMS.issuer]: 'another' }],
    ['another trust anchor', CLAIMS.trustAnchor, { [CLAIMS.trustAnchor]: 'elsewhere.example' }],
    ['iat as text', CLAIMS.issuedAt, { [CLAIMS.issuedAt]: `${SECONDS}` }],
    ['a stale iat', CLAIMS.issuedAt, { [CLAIMS.issuedAt]: SECONDS - 301 }],
    ['an iat ahead', CLAIMS.issuedAt, { [CLAIMS.issuedAt]: SECONDS + 61 }],
    ['an iat in milliseconds', CLAIMS.issuedAt, { [CLAIMS.issuedAt]: NOW.getTime() }],
  ])('%s', async (_, claim, change) => {
    const keyOf = async (kid: string) => (Object.hasOwn(keys, kid) ? keys[kid] : undefined);
    expect(await refusalOf(verify(await under(change), BODY, { keyOf }))).toEqual([
      'UK.OBIE.Signature.InvalidClaim',
      `Headers.x-jws-signature.${claim}`,
    ]);
  });

  it.each<[string, () => Promise<string>]>([
    ['another key under the same kid', () => signed({}, other.privateKey)],
    ['an altered header', async () => under({ extra: 1 })],
    ['the key of another algorithm', () => under({ kid: 'elliptic' })],
    ['a key that is too short', () => under({ kid: 'short' })],
    ['a public key taken for a secret', () => under({ alg: 'ES256' })],
  ])('%s does not verify', async (_, signature) => {
    expect((await refusalOf(verify(await signature())))[0]).toBe('UK.OBIE.Signature.Invalid');
  });

  it('a body or a signature of which one byte differs', async () => {
    const forms = [await signed(), await signed(unencoded)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fc.nat(BODY.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (good, at, difference, inBody) => {
          const [head, tail] = good.split('..') as [string, string];
          const bytes = Buffer.from(inBody ? BODY : Buffer.from(tail, 'base64url'));
          bytes[at % bytes.length]! ^= difference;
          const refusal = inBody ? verify(good, bytes) : verify(`${head}..${bytes.toString('base64url')}`);
          expect((await refusalOf(refusal))[0]).toBe('UK.OBIE.Signature.Invalid');
        },
      ),
      { numRuns: 60 },
    );
    for (const good of forms)
      for (const body of [BODY.subarray(1), Buffer.concat([BODY, Buffer.from(' ')]), Buffer.alloc(0)])
        expect((await refusalOf(verify(good, body)))[0]).toBe('UK.OBIE.Signature.Invalid');
  });

  it('a failure to look the key up is not taken for a wrong signature', async () => {
    const keyOf = () => Promise.reject(new Error('the keys cannot be had'));
    await expect(verify(await signed(), BODY, { keyOf })).rejects.toThrow('cannot be had');
  });

  it('keys that the header itself brings', async () => {
    const jwk = createPublicKey(other.privateKey).export({ format: 'jwk' });
    expect((await refusalOf(verify(await signed({ jwk }, other.privateKey))))[0]).toBe('UK.OBIE.Signature.Invalid');
  });
});
