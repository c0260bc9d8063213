import { generate } from 'otplib';
import type { Act } from '../../../../src/people/customer-access/step-ups';
import { ACTOR, openPlace, type Place } from './people-who-sign-in';

let place: Place;
beforeAll(async () => {
  place = await openPlace('step_ups', { CODES_PER_CUSTOMER: '1000' });
});
afterAll(() => place.close());

const act = (more: Partial<Act> = {}): Act => ({
  tenantId: place.seeded.tenantId,
  customerId: place.seeded.customer.customerId,
  purpose: 'card_payment',
  amountMinor: 12_000n,
  currency: 'EUR',
  payee: { id: place.seeded.organizationId, name: 'Corner Shop' },
  ...more,
});
const ask = async (more: Partial<Act> = {}, language?: string) =>
  (await place.identity.stepUps.ask(act(more), language)).stepUpId;
const confirm = (id: string, code: string) => place.identity.stepUps.confirm(act(), id, code);
const confirmed = async () => {
  const id = await ask();
  await confirm(id, await place.newestCode());
  return id;
};
const consume = (id: string, more: Partial<Act> = {}, actId = `pay_${id}`) =>
  place.database.tenant(act(more).tenantId, (trx) => place.identity.stepUps.consume(trx, act(more), id, actId));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  );
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

test.each([
  ['en', 'code to pay 120.00 EUR to Corner Shop'],
  ['pt', 'código para pagar 120.00 EUR a Corner Shop'],
])('the message names amount and payee: %s', async (language, words) => {
  await ask({}, language);
  expect(await place.newestMessage()).toContain(words);
});

test('is confirmed with the code, used once by its act, and by nothing else after that', async () => {
  const id = await ask();
  expect(await codeOf(consume(id))).toBe('step_up_refused');
  expect(await codeOf(confirm(id, wrong(await place.newestCode())))).toBe('code_refused');
  expect(await codeOf(confirm(id, await place.newestCode()))).toBe('done');
  expect(await codeOf(consume(id))).toBe('done');
  // The act itself may be repeated, after a crash.
  expect(await codeOf(consume(id))).toBe('done');
  expect(await codeOf(consume(id, {}, 'pay_other'))).toBe('step_up_refused');
  const lines = await place.database.system('audit_log').where({ action: 'customer.step_up' }).orderBy('id', 'desc');
  expect(lines[0]).toMatchObject({ result: 'done', detail: { stepUpId: id, amount: '120.00', currency: 'EUR' } });
});

test.each<[string, (other: Place['seeded']['other']) => Partial<Act>]>([
  ['another amount', () => ({ amountMinor: 12_001n })],
  ['another currency', () => ({ currency: 'USD' })],
  ['another payee', () => ({ payee: { id: 'org_other', name: 'Corner Shop' } })],
  ['another name of the payee', () => ({ payee: { id: place.seeded.organizationId, name: 'Corner Store' } })],
  ['another purpose', () => ({ purpose: 'topup' })],
  ['another customer', (other) => ({ customerId: other.customer.customerId })],
  ['another tenant', (other) => ({ tenantId: other.tenantId, customerId: other.customer.customerId })],
])('is good for nothing with %s', async (_what, other) => {
  const id = await confirmed();
  expect(await codeOf(consume(id, other(place.seeded.other)))).toBe('step_up_refused');
  expect(await codeOf(consume(id))).toBe('done');
});

test('six confirmations at once with one code: it is confirmed, and the code is used once', async () => {
  const id = await ask();
  const code = await place.newestCode();
  const six = await Promise.all(Array.from({ length: 6 }, () => codeOf(confirm(id, code))));
  // One that was counted as the sixth try, before the first was done, is refused.
  expect(six.filter((told) => told === 'done').length).toBeGreaterThanOrEqual(5);
  const { session_id } = await place.identity.stepUps.find(act(), id);
  const used = await place.database.system('customer_sessions').where({ id: session_id }).first();
  expect(used.used_at).not.toBeNull();
  expect(await codeOf(confirm(id, 'whatever'))).toBe('done');
});

test('two payments at once of one confirmation: one has it', async () => {
  const id = await confirmed();
  const both = await Promise.all(['pay_one', 'pay_two'].map((actId) => codeOf(consume(id, {}, `${actId}_${id}`))));
  expect(both.sort()).toEqual(['done', 'step_up_refused']);
});

test('a payment that is rolled back gives it back', async () => {
  const id = await confirmed();
  const { tenantId } = act();
  await place.database
    .tenant(tenantId, async (trx) => {
      await place.identity.stepUps.consume(trx, act(), id, 'pay_never');
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  expect(await codeOf(consume(id))).toBe('done');
});

test('five wrong codes are all there are', async () => {
  const id = await ask();
  const code = await place.newestCode();
  for (let tries = 0; tries < 5; tries += 1) expect(await codeOf(confirm(id, wrong(code)))).toBe('code_refused');
  expect(await codeOf(confirm(id, code))).toBe('code_refused');
  expect(await codeOf(consume(id))).toBe('step_up_refused');
  await place.database.system('sign_in_failures').delete();
});

test('neither a code nor a confirmation is good for longer than its time', async () => {
  const late = await ask();
  const code = await place.newestCode();
  const { session_id } = await place.identity.stepUps.find(act(), late);
  await place.database
    .system('customer_sessions')
    .where({ id: session_id })
    .update({ expires_at: new Date(Date.now() - 1_000) });
  expect(await codeOf(confirm(late, code))).toBe('code_refused');
  const id = await confirmed();
  await expect(
    place.database.tenant(act().tenantId, (trx) => trx('step_ups').where({ id }).update({ expires_at: new Date() })),
  ).rejects.toThrow(/permission denied/);
});

test('what was asked about cannot be changed afterwards, and nobody else sees it', async () => {
  const id = await confirmed();
  const change = (columns: object) =>
    place.database.tenant(act().tenantId, (trx) => trx('step_ups').where({ id }).update(columns));
  for (const columns of [{ amount_minor: 1 }, { payee_id: 'org_other' }, { digest: Buffer.alloc(32) }])
    await expect(change(columns)).rejects.toThrow(/permission denied/);
  await expect(change({ consumed_at: new Date() })).rejects.toThrow(/step_ups_check/);
  const { other } = place.seeded;
  const elsewhere = { tenantId: other.tenantId, customerId: other.customer.customerId };
  expect(await codeOf(place.identity.stepUps.find(elsewhere, id))).toBe('not_found');
  expect(await codeOf(place.identity.stepUps.confirm(elsewhere, id, await place.newestCode()))).toBe('not_found');
});

test('a customer without a verified address cannot be asked; one with an authenticator shows its code', async () => {
  const { other } = place.seeded;
  const whose = { tenantId: other.tenantId, customerId: other.customer.customerId };
  await place.database
    .system('customer_identifiers')
    .where({ customer_id: whose.customerId })
    .update({ verified_at: null });
  expect(await codeOf(place.identity.stepUps.ask(act(whose)))).toBe('two_factor_required');
  const who = { ...whose, askedBy: 'cli_test' };
  const { secret } = await place.identity.enrolment.begin(who, ACTOR, {});
  const epoch = Math.floor(Date.now() / 1000);
  await place.identity.enrolment.confirm(who, ACTOR, await generate({ secret, epoch: epoch - 30 }));
  const { stepUpId, session } = await place.identity.stepUps.ask(act(whose));
  expect(session.method).toBe('totp');
  await place.identity.stepUps.confirm(whose, stepUpId, await generate({ secret, epoch }));
  expect(await codeOf(consume(stepUpId, whose))).toBe('done');
});
