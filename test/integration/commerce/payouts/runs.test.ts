import type { PayoutRow } from '../../../../src/commerce/payouts/payout';
import { auditSentTransfers, type SentTransfer } from '../../../../src/commerce/payouts/processor-transfers';
import { findNewSellers, type RunRow, runDue } from '../../../../src/commerce/payouts/runs';
import { proceedPayout } from '../../../../src/commerce/payouts/steps';
import { addTerms, type NewTerms } from '../../../../src/commerce/payouts/terms';
import type { SeededTenant } from '../../../../src/sandbox/seed/tenants';
import { ADMIN, EUR, World } from './world';

/** Schedules on the real database, with the calendar in the hands of the test. */

const DAY_MS = 86_400_000;
const MIDNIGHT = new Date((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS);
const later = (ms: number) => new Date(MIDNIGHT.getTime() + ms);

let world: World;

beforeAll(async () => {
  world = await World.open('payout_runs');
});
afterEach(async () => expect(await world.findings()).toEqual([]));
afterAll(() => world?.close());

const terms = (seller: SeededTenant, more: Partial<NewTerms> = {}) =>
  world.database.tenant(seller.tenantId, (trx) =>
    addTerms(trx, seller.tenantId, ADMIN, {
      organizationId: seller.organizationId,
      currency: 'EUR',
      schedule: 'daily',
      minimumMinor: 0n,
      reserveBasisPoints: 0,
      reserveDays: 0,
      ...more,
    }),
  );
const scheduling = () => ({ database: world.database, ledger: world.ledger, connectors: world.connectors });
/** What the workers do in a round, until nothing is due. */
async function round(now: Date): Promise<void> {
  while ((await findNewSellers(scheduling(), now)) > 0);
  while ((await runDue(scheduling(), 20, now)) > 0);
}
const runsOf = ({ organizationId }: SeededTenant): Promise<RunRow[]> =>
  world.database.system('payout_runs').where({ organization_id: organizationId }).orderBy('id');
const payoutsOf = ({ organizationId }: SeededTenant): Promise<PayoutRow[]> =>
  world.database.system('payouts').where({ organization_id: organizationId }).orderBy('number');

test('a date is run once, however many workers look at it', async () => {
  const seller = await world.seller();
  await world.paid(seller, 1_000n);
  await terms(seller);
  await round(new Date());
  expect(await runsOf(seller)).toEqual([]);
  await Promise.all(Array.from({ length: 6 }, () => runDue(scheduling(), 20, later(1))));
  expect(await runsOf(seller)).toMatchObject([{ outcome: 'paid_out', due_at: MIDNIGHT, available_minor: 1_000n }]);
  expect(await payoutsOf(seller)).toMatchObject([{ origin: 'schedule', amount_minor: 1_000n }]);
});

test('what is carried says why, and is paid at a later date', async () => {
  const seller = await world.seller();
  await terms(seller, { minimumMinor: 500n });
  await world.paid(seller, 300n);
  await round(new Date());
  await round(later(1));
  await world.paid(seller, 300n);
  await round(later(DAY_MS));
  expect(await runsOf(seller)).toMatchObject([
    { outcome: 'carried', detail: 'It is less than the smallest payout.', available_minor: 300n, payout_id: null },
    { outcome: 'paid_out', available_minor: 600n },
  ]);
});

test('a date that was missed is run once, and the next is the next', async () => {
  const seller = await world.seller();
  await world.paid(seller, 100n);
  await terms(seller);
  await round(new Date());
  await round(later(5 * DAY_MS + 1));
  await round(later(5 * DAY_MS + 2));
  expect(await runsOf(seller)).toHaveLength(1);
  await round(later(6 * DAY_MS));
  expect((await runsOf(seller)).map(({ outcome }) => outcome)).toEqual(['paid_out', 'carried']);
});

test('a seller follows its own terms, whatever those of the tenant are; a change of them takes effect', async () => {
  const [own, other] = [await world.seller(), await world.seller()];
  await world.paid(own, 100n);
  await world.paid(other, 100n);
  await terms(own, { schedule: 'on_demand' });
  await terms(own, { organizationId: undefined });
  await round(new Date());
  await round(later(1));
  expect(await runsOf(own)).toEqual([]);
  expect(await runsOf(other)).toMatchObject([{ outcome: 'paid_out' }]);
  await terms(own, { schedule: 'daily', effectiveFrom: later(DAY_MS / 2) });
  await round(later(DAY_MS / 2));
  expect(await runsOf(own)).toEqual([]);
  await round(later(DAY_MS));
  expect(await runsOf(own)).toMatchObject([{ outcome: 'paid_out' }]);
});

test('many sellers on one date come a few at a time', async () => {
  const sellers = await Promise.all(Array.from({ length: 5 }, () => world.seller()));
  for (const seller of sellers) {
    await world.paid(seller, 100n);
    await terms(seller);
  }
  const far = later(400 * DAY_MS);
  await round(new Date());
  expect(await runDue(scheduling(), 2, far)).toBe(2);
  await round(far);
  for (const seller of sellers) expect(await runsOf(seller)).toHaveLength(1);
});

describe('accounts', () => {
  test('a changed account counts after the time of grace, and its contact is told then', async () => {
    const seller = await world.seller();
    const [first] = (await world.accounts.find(seller)).history;
    const iban = 'DE89370400440532013000';
    const changed = await world.accounts.change(seller, { iban, holder: 'A Shop' }, ADMIN);
    expect(await world.accounts.change(seller, { iban, holder: 'A Shop' }, ADMIN)).toMatchObject({ id: changed.id });
    await world.accounts.verify(seller, ADMIN);
    expect((await world.accounts.find(seller)).inEffect?.id).toBe(first!.id);
    await world.paid(seller, 100n);
    const payout = await world.ordered(seller);
    await proceedPayout(
      world.paying,
      { payoutId: payout.id, tenantId: seller.tenantId },
      0,
      new Date(changed.effective_from.getTime() + 1),
    );
    expect(world.sent.at(-1)?.beneficiary).toEqual({ iban, holder: 'A Shop' });
    await world.database.system('payout_accounts').where({ id: changed.id }).update({ effective_from: new Date() });
    expect(await world.accounts.tellOfEffect(100)).toBeGreaterThan(0);
    expect(await world.accounts.tellOfEffect(100)).toBe(0);
  });

  test('two changes at once are two accounts, one after the other, and both wait', async () => {
    const seller = await world.seller({ withAccount: false });
    const ibans = ['DE89370400440532013000', 'GB82WEST12345698765432'];
    const rows = await Promise.all(ibans.map((iban) => world.accounts.change(seller, { iban, holder: 'A' }, ADMIN)));
    const waiting = rows.filter(
      ({ effective_from, created_at }) => effective_from.getTime() - created_at.getTime() > 1_000,
    );
    expect(waiting).toHaveLength(1);
  });

  test('what is stored has no account number in clear, and another tenant sees nothing', async () => {
    const seller = await world.seller();
    const [row] = (await world.accounts.find(seller)).history;
    expect(JSON.stringify(row)).not.toContain(world.accounts.ibanOf(row!));
    expect(row!.iban_sealed.includes(world.accounts.ibanOf(row!))).toBe(false);
    const { tenantId } = world.tenant.other;
    const seen = await world.database.tenant(tenantId, (trx) => trx('payout_accounts').where({ id: row!.id }));
    expect(seen).toEqual([]);
    await expect(world.accounts.verify({ ...seller, tenantId }, ADMIN)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('what the processor has sent and our payouts are held against each other', async () => {
  const seller = await world.seller();
  await world.paid(seller, 100n);
  const payout = await world.ordered(seller);
  world.sending = ({ money }) => ({ kind: 'settled', processorReference: 'ts_1', money });
  await proceedPayout(world.paying, { payoutId: payout.id, tenantId: seller.tenantId }, 0);
  const sent: SentTransfer = { reference: payout.id, ...EUR(100n), status: 'settled' };
  const detailsOf = async (...transfers: SentTransfer[]) =>
    (await auditSentTransfers(world.database.ops, 'b', transfers)).findings
      .filter(({ subject }) => subject === payout.id || subject === 'pot_nobody')
      .map(({ detail }) => detail);
  expect(await detailsOf(sent)).toEqual([]);
  expect(await detailsOf(sent, sent)).toEqual(['it was sent twice']);
  expect(await detailsOf({ ...sent, amountMinor: 99n })).toEqual(['99 EUR there, 100 EUR here']);
  expect(await detailsOf({ ...sent, status: 'returned' })).toEqual(['returned there, settled here']);
  expect(await detailsOf()).toEqual(['settled here, never sent there']);
  expect(await detailsOf(sent, { ...sent, reference: 'pot_nobody' })).toEqual([
    '100 EUR was sent for no payout of ours',
  ]);
});

test('while the tenant is suspended nothing is paid out; the balance is carried, and paid at the next date', async () => {
  const seller = await world.seller();
  await world.paid(seller, 1_000n);
  await terms(seller);
  await round(new Date());
  const become = (status: string) => world.database.system('tenants').where({ id: seller.tenantId }).update({ status });
  await become('suspended');
  await round(later(1)).finally(() => become('active'));
  await round(later(DAY_MS));
  expect(await runsOf(seller)).toMatchObject([
    { outcome: 'carried', detail: 'The tenant is suspended.', payout_id: null },
    { outcome: 'paid_out', available_minor: 1_000n },
  ]);
});
