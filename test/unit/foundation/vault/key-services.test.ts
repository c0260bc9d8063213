import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '../../../../src/domain/errors';
import { AwsKeyService } from '../../../../src/foundation/vault/key-services/aws';
import { GcpKeyService } from '../../../../src/foundation/vault/key-services/gcp';
import { type KeyService, KeyServiceRefusal } from '../../../../src/foundation/vault/key-services/key-service';
import { TransitKeyService } from '../../../../src/foundation/vault/key-services/transit';
import { AWS_CREDENTIALS, LocalAws } from '../../../setup/key-services/aws';
import { LocalGcp, SUBJECT_TOKEN } from '../../../setup/key-services/gcp';
import { APP_ROLE, LocalTransit } from '../../../setup/key-services/transit';

const aws = new LocalAws();
const gcp = new LocalGcp();
const transit = new LocalTransit();
const services = [aws, gcp, transit];
const before = { ...process.env };
const folder = mkdtempSync(join(tmpdir(), 'key-services-'));
const CONTEXT = { ring: 'vault', id: 'kms-1' };
const SLOW = 2_000;
const key = randomBytes(32);

const awsService = (keyId = LocalAws.arn('k1'), timeoutMs = SLOW) =>
  new AwsKeyService({ keyId, region: 'eu-west-1', url: aws.url, timeoutMs });
const gcpService = (name = LocalGcp.key('k1'), timeoutMs = SLOW) =>
  new GcpKeyService({ key: name, url: gcp.url, timeoutMs });
const transitService = (name = 'k1', timeoutMs = SLOW, more: object = APP_ROLE) =>
  new TransitKeyService({ url: transit.url, key: name, mount: 'transit', timeoutMs, ...more });

const kinds = [
  { kind: 'AWS KMS', local: aws, make: awsService, nameOf: LocalAws.arn, inside: (name: string) => name },
  { kind: 'Google Cloud KMS', local: gcp, make: gcpService, nameOf: LocalGcp.key, inside: LocalGcp.key },
  {
    kind: 'Vault Transit',
    local: transit,
    make: transitService,
    nameOf: (name: string) => name,
    inside: (name: string) => name,
  },
];

beforeAll(async () => {
  for (const service of services) await service.start();
  // Google's library imports its HTTP client at run time, which Jest cannot; in a window it takes what is there.
  Object.assign(globalThis, { window: { fetch } });
  const [token, credentials] = [join(folder, 'subject'), join(folder, 'google.json')];
  writeFileSync(token, SUBJECT_TOKEN);
  writeFileSync(credentials, JSON.stringify(gcp.credentials(token)));
  Object.assign(process.env, AWS_CREDENTIALS, { GOOGLE_APPLICATION_CREDENTIALS: credentials });
  for (const { local, inside } of kinds) for (const name of ['k1', 'k2']) local.addVersion(inside(name));
});
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  rmSync(folder, { recursive: true });
  Reflect.deleteProperty(globalThis, 'window');
});
beforeEach(() => {
  for (const service of services) service.calls = 0;
});

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

/** Unavailable, with the pause that HTTP tells. */
function expectUnavailable(error: Error): void {
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
}

describe.each(kinds)('$kind', ({ local, make, nameOf, inside }) => {
  test('gives back what it has wrapped, and another form each time', async () => {
    const service: KeyService = make();
    const [one, other] = [await service.wrap(key, CONTEXT), await service.wrap(key, CONTEXT)];
    expect(one.key).toBe(nameOf('k1'));
    expect(one.bytes.equals(other.bytes)).toBe(false);
    expect(one.bytes.includes(key)).toBe(false);
    expect([await service.unwrap(one, CONTEXT), await service.unwrap(other, CONTEXT)]).toEqual([key, key]);
  });

  test.each([
    ['another ring', { ...CONTEXT, ring: 'codec' }],
    ['another id', { ...CONTEXT, id: 'kms-2' }],
  ])('refuses %s', async (_what, context) => {
    const wrapped = await make().wrap(key, CONTEXT);
    expect(await failureOf(make().unwrap(wrapped, context))).toBeInstanceOf(KeyServiceRefusal);
    expect(local.calls).toBe(2);
  });

  test('refuses what was changed, and what another key has wrapped', async () => {
    const wrapped = await make().wrap(key, CONTEXT);
    const bytes = Buffer.from(wrapped.bytes);
    bytes[bytes.length - 10]! ^= 1;
    expect(await failureOf(make().unwrap({ ...wrapped, bytes }, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
    const elsewhere = { ...wrapped, key: nameOf('k2') };
    expect(await failureOf(make().unwrap(elsewhere, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
  });

  test('unwraps with an earlier version of its key, and with the key of before', async () => {
    const first = await make().wrap(key, CONTEXT);
    local.addVersion(inside('k1'));
    const next = await make(nameOf('k2')).wrap(key, CONTEXT);
    expect(next.key).toBe(nameOf('k2'));
    for (const wrapped of [first, next]) expect(await make(nameOf('k2')).unwrap(wrapped, CONTEXT)).toEqual(key);
  });

  test('asks once for what is refused: a key that is disabled, one that is not there', async () => {
    local.setEnabled(inside('k1'), false);
    try {
      expect(await failureOf(make().wrap(key, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
    } finally {
      local.setEnabled(inside('k1'), true);
    }
    expect(await failureOf(make(nameOf('none')).wrap(key, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
    expect(local.calls).toBe(2);
  });

  test.each([[[429, 500]], [[503, 429]]])('tries again after %s', async (failures) => {
    local.failures.push(...failures);
    expect((await make().wrap(key, CONTEXT)).key).toBe(nameOf('k1'));
    expect(local.calls).toBe(3);
  });

  test('is unavailable after three tries, and well again afterwards', async () => {
    local.failures.push(500, 503, 429);
    const service = make();
    expectUnavailable(await failureOf(service.wrap(key, CONTEXT)));
    expect(local.calls).toBe(3);
    expect((await service.wrap(key, CONTEXT)).key).toBe(nameOf('k1'));
  });

  test('is unavailable when it does not answer in time', async () => {
    local.isSilent = true;
    try {
      expectUnavailable(await failureOf(make(nameOf('k1'), 50).wrap(key, CONTEXT)));
    } finally {
      local.isSilent = false;
    }
  });

  test('is unavailable when nobody listens', async () => {
    await local.stop();
    try {
      expectUnavailable(await failureOf(make().wrap(key, CONTEXT)));
    } finally {
      await local.start();
    }
  });
});

test('AWS KMS: requests are signed; a key may be named by its alias, and is remembered by its ARN', async () => {
  aws.alias('cards', 'k1');
  const wrapped = await awsService('alias/cards').wrap(key, CONTEXT);
  aws.alias('cards', 'k2');
  expect(wrapped.key).toBe(LocalAws.arn('k1'));
  expect(await awsService('alias/cards').unwrap(wrapped, CONTEXT)).toEqual(key);
  process.env.AWS_SECRET_ACCESS_KEY = 'another secret';
  const error = await failureOf(awsService().wrap(key, CONTEXT));
  process.env.AWS_SECRET_ACCESS_KEY = AWS_CREDENTIALS.AWS_SECRET_ACCESS_KEY;
  expect(error).toEqual(new KeyServiceRefusal('AWS KMS answered UnrecognizedClientException'));
});

test('Google Cloud KMS: a token that is not good any more is refused; a new process gets a new one', async () => {
  const service = gcpService();
  await service.wrap(key, CONTEXT);
  gcp.revokeTokens();
  expect(await failureOf(service.wrap(key, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
  expect((await gcpService().wrap(key, CONTEXT)).key).toBe(LocalGcp.key('k1'));
});

describe('Vault Transit', () => {
  test('signs in once, and again when its token was revoked', async () => {
    transit.signIns = 0;
    const service = transitService();
    await service.wrap(key, CONTEXT);
    await service.wrap(key, CONTEXT);
    expect(transit.signIns).toBe(1);
    transit.revokeTokens();
    expect((await service.wrap(key, CONTEXT)).key).toBe('k1');
    expect(transit.signIns).toBe(2);
  });

  test('a role with a wrong secret is refused', async () => {
    const service = transitService('k1', SLOW, { ...APP_ROLE, secretId: 'wrong' });
    expect(await failureOf(service.wrap(key, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
  });

  test('reads its token file for each call, and names its namespace', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, `${transit.newToken()}\n`);
    const service = transitService('k1', SLOW, { tokenFile, namespace: 'payments' });
    const wrapped = await service.wrap(key, CONTEXT);
    transit.revokeTokens();
    expect(await failureOf(service.unwrap(wrapped, CONTEXT))).toBeInstanceOf(KeyServiceRefusal);
    writeFileSync(tokenFile, transit.newToken());
    expect(await service.unwrap(wrapped, CONTEXT)).toEqual(key);
    expect(transit.namespaces.at(-1)).toBe('payments');
  });
});
