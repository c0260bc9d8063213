import { generateKeyPairSync } from 'node:crypto';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { signDetached } from '../../../../src/open-banking/signatures/sign';
import { Signatures } from '../../../../src/open-banking/signatures/signatures';
import { verifyDetached } from '../../../../src/open-banking/signatures/verify';
import { createTestDatabase } from '../../../setup/environment';

const TAN = 'openbanking.example';
const ISSUER = 'https://bank.example';
const TPP = { id: 'tpp_one', iss: 'iss-of-one' };
const BODY = Buffer.from('{"Data":{}}');
const theirs = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ours = generateKeyPairSync('rsa', { modulusLength: 2048 });

let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let signatures: Signatures;

beforeAll(async () => {
  own = await createTestDatabase('signatures');
  database = openDatabase(own.logins, 2, 'test-signatures');
  signatures = new Signatures({
    database,
    keyOf: async ({ id }, kid) => (id === TPP.id && kid === 'theirs' ? theirs.publicKey : undefined),
    signingKey: async () => ({ key: ours.privateKey, kid: 'ours' }),
    issuer: ISSUER,
    trustAnchor: TAN,
    maxAgeMs: 300_000,
    skewMs: 60_000,
  });
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

const refusals = () => database.system('audit_log').where({ action: 'tpp.signature' }).orderBy('id');
const signed = (iss = TPP.iss) =>
  signDetached(BODY, { key: theirs.privateKey, kid: 'theirs', iss, tan: TAN, now: new Date() });

test('a good signature leaves no trace, a refused one a line without anything of the body', async () => {
  await signatures.verifyRequest(BODY, await signed(), TPP);
  expect(await refusals()).toEqual([]);
  const secret = Buffer.from('{"Data":{"Name":"Somebody"}}');
  await expect(signatures.verifyRequest(secret, await signed(), TPP)).rejects.toMatchObject({ status: 400 });
  await expect(signatures.verifyRequest(BODY, undefined, TPP)).rejects.toMatchObject({ status: 400 });
  const lines = await refusals();
  expect(lines).toMatchObject([
    { actor: TPP.id, target: TPP.id, result: 'refused', detail: { code: 'UK.OBIE.Signature.Invalid' } },
    { actor: TPP.id, target: TPP.id, result: 'refused', detail: { code: 'UK.OBIE.Signature.Missing' } },
  ]);
  expect(JSON.stringify(lines.map(({ detail }) => detail))).not.toContain('Somebody');
});

test('the signature of one third party is not good for another, nor is its key', async () => {
  const other = { id: 'tpp_two', iss: TPP.iss };
  await expect(signatures.verifyRequest(BODY, await signed(), other)).rejects.toMatchObject({
    problems: [{ ErrorCode: 'UK.OBIE.Signature.InvalidClaim', Path: 'Headers.x-jws-signature.kid' }],
  });
  await expect(signatures.verifyRequest(BODY, await signed('iss-of-two'), TPP)).rejects.toMatchObject({
    problems: [{ Path: 'Headers.x-jws-signature.http://openbanking.org.uk/iss' }],
  });
});

test('our answers are signed in our name', async () => {
  const signature = await signatures.signResponse(BODY);
  const expected = { keyOf: async () => ours.publicKey, iss: ISSUER, tan: TAN, maxAgeMs: 60_000, skewMs: 60_000 };
  expect(await verifyDetached(BODY, signature, expected)).toBe('ours');
});
