import { generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { makeAuthority, makeClientCertificate } from '../../../../src/foundation/certificates/authority';
import { TppRegistry, thumbprintOf } from '../../../../src/open-banking/tpps/registry';
import { type NewTpp, Tpps } from '../../../../src/open-banking/tpps/service';
import { type Shown, selfSigned, signingKey } from '../../../setup/certificates';
import { openPlace, type Place } from '../../people/customers/place';

const DAY_MS = 24 * 3_600_000;
const BY = { id: 'usr_operator', source: '127.0.0.1', requestId: 'req_1' };
const { jwk } = signingKey('signing-1');

let place: Place;
let authority: { certificate: string; key: string };
let tpps: Tpps;
let registry: TppRegistry;

beforeAll(async () => {
  [place, authority] = await Promise.all([openPlace('tpps'), makeAuthority()]);
  tpps = tppsIn({ sandbox: true });
  registry = new TppRegistry(place.database, { keysAt: async () => [] });
});
afterAll(() => place?.close());

const tppsIn = ({ sandbox }: { sandbox: boolean }) =>
  new Tpps(place.database, { sandbox, authorities: [new X509Certificate(authority.certificate)] });
const issued = async (name = `tpp-${randomUUID()}`): Promise<Shown> => {
  const { certificate, key } = await makeClientCertificate(authority, name);
  return { cert: certificate, key };
};
const order = (certificate: string, more: Partial<NewTpp> = {}): NewTpp => ({
  id: newId('tpp'),
  name: 'Clear View',
  profile: 'fapi1',
  tenantIds: [place.tenantId],
  redirectUris: ['https://tpp.example/callback'],
  jwks: { keys: [jwk] },
  certificate,
  ...more,
});
const shows = ({ cert }: Shown, isTrusted = false) =>
  registry.byCertificate({ certificate: new X509Certificate(cert), isTrusted });
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code, message }) => `${code}: ${message}`,
  );
const audited = (id: string) => place.database.system('audit_log').where({ target: id }).orderBy('id').pluck('action');

test('a provider with a self-signed certificate is known by it, and served for its tenants', async () => {
  const shown = await selfSigned();
  const tpp = await tpps.register(order(shown.cert), BY);
  expect(tpp).toMatchObject({
    auth_method: 'self_signed_tls_client_auth',
    certificate_thumbprint: thumbprintOf(new X509Certificate(shown.cert)),
    tenant_ids: [place.tenantId],
    iss: tpp.id,
    jwks: { keys: [jwk] },
    disabled_at: null,
  });
  expect((await shows(shown))?.id).toBe(tpp.id);
  expect(await registry.tenantsOf(tpp.id)).toEqual([place.tenantId]);
  // Another one under the same name is somebody else.
  expect(await shows(await selfSigned())).toBeUndefined();
  expect(await audited(tpp.id)).toEqual(['tpp.register']);
});

test('the same request again registers nothing twice', async () => {
  const { cert } = await selfSigned();
  const asked = order(cert);
  const first = await tpps.register(asked, BY);
  expect(await tpps.register(asked, BY)).toEqual(first);
  expect(await audited(first.id)).toEqual(['tpp.register']);
});

test('one of a trusted authority is known by its subject: a renewed certificate works at once', async () => {
  const name = `tpp-${randomUUID()}`;
  const tpp = await tpps.register(order((await issued(name)).cert), BY);
  expect(tpp.auth_method).toBe('tls_client_auth');
  expect((await shows(await issued(name), true))?.id).toBe(tpp.id);
  expect(await shows(await issued(name), false)).toBeUndefined();
});

describe('what is refused', () => {
  const certificate = (form: string) => `invalid_request: certificate ${form}`;

  test.each<[what: string, made: () => Promise<string>, message: string]>([
    ['text', async () => 'a certificate', 'must be one X.509 certificate in PEM form, and nothing else'],
    [
      'a broken certificate',
      async () => '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'must be one X.509 certificate in PEM form, and nothing else',
    ],
    [
      'the private key with it',
      async () => {
        const { cert, key } = await selfSigned();
        return `${cert}\n${key}`;
      },
      'must be one X.509 certificate in PEM form, and nothing else',
    ],
    [
      'two certificates',
      async () => `${(await selfSigned()).cert}\n${(await selfSigned()).cert}`,
      'must be one X.509 certificate in PEM form, and nothing else',
    ],
    [
      'a key of 1024 bits',
      async () => (await selfSigned({ rsaBits: 1_024 })).cert,
      'must have an RSA key of 2048 bits or more, or a key on P-256, P-384 or P-521',
    ],
    [
      'an expired one',
      async () =>
        (
          await selfSigned({
            notBefore: new Date(Date.now() - 9 * DAY_MS),
            notAfter: new Date(Date.now() - 2 * DAY_MS),
          })
        ).cert,
      'has expired, or is not valid yet',
    ],
    [
      'one for servers',
      async () => (await selfSigned({ forServers: true })).cert,
      'must be good for the client of a TLS connection',
    ],
    [
      'one of an authority that nobody trusts',
      async () => (await makeClientCertificate(await makeAuthority(), 'stranger')).certificate,
      'must be self-signed, or come from a certificate authority that this bank trusts',
    ],
  ])('%s', async (_, made, message) => {
    expect(await refusal(tpps.register(order(await made()), BY))).toBe(certificate(message));
  });

  test('a certificate, or the subject of an authority, that another provider has', async () => {
    const message = certificate('belongs to another third-party provider');
    const shown = await selfSigned();
    await tpps.register(order(shown.cert), BY);
    expect(await refusal(tpps.register(order(shown.cert), BY))).toBe(message);
    const name = `tpp-${randomUUID()}`;
    await tpps.register(order((await issued(name)).cert), BY);
    expect(await refusal(tpps.register(order((await issued(name)).cert), BY))).toBe(message);
    const third = await tpps.register(order((await selfSigned()).cert), BY);
    expect(await refusal(tpps.replaceCertificate(third.id, shown.cert, BY))).toBe(message);
    expect((await tpps.find(third.id)).certificate_thumbprint).toBe(third.certificate_thumbprint);
  });

  test('an unknown tenant, and nothing is stored', async () => {
    const asked = order((await selfSigned()).cert, { tenantIds: [place.tenantId, newId('tenant')] });
    expect(await refusal(tpps.register(asked, BY))).toBe(
      'invalid_request: tenantIds[1] must be a tenant of the platform',
    );
    expect(await refusal(tpps.find(asked.id))).toMatch(/^not_found/);
    expect(await audited(asked.id)).toEqual([]);
  });

  test.each<[uri: string, sandbox: boolean, message: string | undefined]>([
    ['http://127.0.0.1:9000/back', true, undefined],
    ['http://localhost/back', true, undefined],
    ['http://127.0.0.1:9000/back', false, 'must use https'],
    ['http://tpp.example/back', true, 'must use https, or http on the loopback'],
    ['http://127.0.0.1.evil.example/back', true, 'must use https, or http on the loopback'],
    ['https://tpp.example/back#part', true, 'must not have a fragment'],
    ['https://tpp.example@evil.example/back', false, 'must not contain a user name or password'],
    ['https://tpp.example/back', false, undefined],
  ])('redirect URI %s, sandbox %p: %s', async (uri, sandbox, message) => {
    const asked = order((await selfSigned()).cert, { redirectUris: [uri] });
    expect(await refusal(tppsIn({ sandbox }).register(asked, BY))).toBe(
      message && `invalid_request: redirectUris[0] ${message}`,
    );
  });

  const secret = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
  test.each<[what: string, keys: object[], at: string]>([
    ['a private key', [{ ...secret, kid: '1' }], '[0] must be a public key: the private part stays with its owner'],
    [
      'a shared secret',
      [{ kty: 'oct', k: 'AAAA', kid: '1' }],
      '[0] must be a public key: the private part stays with its owner',
    ],
    ['no kid', [{ ...jwk, kid: undefined }], '[0] must have a kid'],
    ['one kid for two', [jwk, jwk], '[1] must have a kid of its own'],
    ['a key of 1024 bits', [signingKey('weak', 1_024).jwk], '[0] must have 2048 bits or more'],
    [
      'a broken key',
      [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: '1' }],
      '[0] must be a key of the kind RSA or EC',
    ],
  ])('a key set with %s', async (_, keys, at) => {
    const asked = order((await selfSigned()).cert, { jwks: { keys } });
    expect(await refusal(tpps.register(asked, BY))).toBe(`invalid_request: jwks.keys${at}`);
  });
});

test('a change bites at the next look, and says who made it', async () => {
  const shown = await selfSigned();
  const { id } = await tpps.register(order(shown.cert), BY);
  const changed = await tpps.change(id, { tenantIds: [place.otherTenantId], jwksUri: 'https://tpp.example/keys' }, BY);
  expect(changed).toMatchObject({ name: 'Clear View', jwks: null, jwks_uri: 'https://tpp.example/keys' });
  expect(await registry.tenantsOf(id)).toEqual([place.otherTenantId]);
  expect(await tpps.change(id, { jwks: { keys: [jwk] } }, BY)).toMatchObject({ jwks_uri: null, jwks: { keys: [jwk] } });
  await tpps.disable(id, BY);
  expect(await shows(shown)).toBeUndefined();
  await tpps.enable(id, BY);
  expect((await shows(shown))?.id).toBe(id);
  const next = await selfSigned();
  await tpps.replaceCertificate(id, next.cert, BY);
  expect([await shows(shown), (await shows(next))?.id]).toEqual([undefined, id]);
  expect(await audited(id)).toEqual([
    'tpp.register',
    'tpp.change',
    'tpp.change',
    'tpp.disable',
    'tpp.enable',
    'tpp.replace_certificate',
  ]);
});

test('of two who register one certificate at once, one gets it', async () => {
  const { cert } = await selfSigned();
  const tries = await Promise.all([1, 2, 3].map(() => refusal(tpps.register(order(cert), BY))));
  expect(tries.filter((one) => one === undefined)).toHaveLength(1);
});

test('they are listed page by page, by tenant and status', async () => {
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const asked = order((await selfSigned()).cert, { tenantIds: [place.tenantId, place.otherTenantId] });
    made.unshift((await tpps.register(asked, BY)).id);
  }
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  expect(idsOf(await tpps.list({ limit: 1 }))).toEqual(made.slice(0, 2));
  expect(idsOf(await tpps.list({ limit: 1, cursor: made[0] }))).toEqual(made.slice(1));
  await tpps.disable(made[1]!, BY);
  const disabled = await tpps.list({ limit: 50, tenantId: place.otherTenantId, status: 'disabled' });
  expect(idsOf(disabled)).toEqual([made[1]]);
  expect(disabled[0]!.tenant_ids.sort()).toEqual([place.tenantId, place.otherTenantId].sort());
  expect(idsOf(await tpps.list({ limit: 2, status: 'enabled' }))).not.toContain(made[1]);
  expect(await refusal(tpps.disable(newId('tpp'), BY))).toMatch(/^not_found/);
});
