import { randomBytes } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { TRANSFER_STATUSES, TRANSFER_TRANSITIONS } from '../../../../src/domain/states/transfer';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { eraseCustomer } from '../../../../src/money/customer-accounts/erasure';
import { walletOf } from '../../../../src/money/ledger/accounts';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { transferDependencies } from '../../../../src/money/p2p/dependencies';
import { Membership } from '../../../../src/money/p2p/membership';
import { MoneyRequests } from '../../../../src/money/p2p/money-requests';
import { makeSchedule, runSchedule } from '../../../../src/money/p2p/schedules';
import type { TransferOrder } from '../../../../src/money/p2p/send';
import { advanceTransfer } from '../../../../src/money/p2p/steps';
import { lockTransfer, moveTransfer, type TransferRow } from '../../../../src/money/p2p/transfer';
import { Transfers } from '../../../../src/money/p2p/transfers';
import { lockCustomer } from '../../../../src/people/customers/customer';
import { insertPerson, KEYS, openPlace, type Place, STAFF } from '../../people/customers/place';
import { adjustmentCause } from '../adjustment';

const WINDOW_MS = 60_000;
const ACTING = { actor: STAFF, isStaff: true };
const ledger = new Ledger();
const parts = transferDependencies(ledger, {
  vaultKeys: KEYS,
  hmacKey: randomBytes(32).toString('base64'),
  transferTtlMs: 7 * 86_400_000,
});

let place: Place;
let movements: Transfers;
let requests: MoneyRequests;
let membership: Membership;

beforeAll(async () => {
  place = await openPlace('p2p');
  // The engine is away: all that moves money works without it.
  const engine = { connection: { withDeadline: () => Promise.reject(new Error('away')) } } as unknown as Engine;
  const platform = { database: place.database, engine, p2p: parts };
  movements = new Transfers(platform, WINDOW_MS);
  requests = new MoneyRequests(platform, 60_000);
  membership = new Membership(place.database, parts.keys);
});
afterAll(async () => {
  expect((await auditBooks(place.database.ops)).findings).toEqual([]);
  await place.close();
});

const inTenant = <T>(work: Parameters<typeof place.database.tenant<T>>[1]) =>
  place.database.tenant(place.tenantId, work);

let handles = 0;
async function member(balanceMinor = 0n, acceptEach = false): Promise<string> {
  const { id } = await insertPerson(place, 'verified');
  handles += 1;
  const alias = { type: 'handle' as const, value: `member${handles}` };
  await membership.enroll(place.tenantId, id, { alias, acceptEach }, ACTING);
  if (balanceMinor > 0n) {
    const cause = await adjustmentCause(place.database, place.tenantId);
    await inTenant((trx) =>
      ledger.book(trx, place.tenantId, 'EUR', [
        {
          phase: 'posted',
          debit: { kind: 'bank_clearing', owner: 'test' },
          credit: walletOf(id),
          amountMinor: balanceMinor,
          cause,
        },
      ]),
    );
  }
  return id;
}
const order = (senderId: string, customerId: string, amountMinor = 100n): TransferOrder => ({
  transferId: newId('transfer'),
  tenantId: place.tenantId,
  senderId,
  recipient: { customerId },
  money: { amountMinor, currency: 'EUR' },
  acting: ACTING,
});
const act = (transferId: string, customerId?: string) => ({
  tenantId: place.tenantId,
  transferId,
  customerId,
  actId: newId('request'),
  acting: ACTING,
});
const balance = async (owner: string): Promise<[bigint, bigint]> => {
  const row = await inTenant((trx) =>
    trx('ledger_balances as b')
      .join('ledger_accounts as a', 'a.id', 'b.account_id')
      .where({ owner, kind: 'customer_wallet', currency: 'EUR' })
      .first('posted_minor', 'held_minor'),
  );
  return [row?.posted_minor ?? 0n, row?.held_minor ?? 0n];
};
const age = (transfer: TransferRow, columns: Partial<TransferRow>) =>
  inTenant((trx) => trx('p2p_transfers').where({ id: transfer.id }).update(columns));

test.each(TRANSFER_STATUSES.flatMap((from) => TRANSFER_STATUSES.map((to) => [from, to] as const)))(
  '%s → %s as the table says',
  async (from, to) => {
    const row = { id: newId('transfer'), status: from } as TransferRow;
    const moved = inTenant((trx) => moveTransfer(trx, row, to, { status_detail: 'so it is', moved_by: 'a test' }));
    if (TRANSFER_TRANSITIONS[from].includes(to)) await expect(moved).resolves.toBeUndefined();
    else await expect(moved).rejects.toMatchObject({ code: 'invalid_state' });
  },
);

test('a repeat after a crash answers the transfer that is there, though the wallet is empty by now', async () => {
  const [ann, bob] = [await member(100n), await member()];
  const once = order(ann, bob);
  const first = await movements.send(once);
  expect((await movements.send(once)).id).toBe(first.id);
  expect([await balance(ann), await balance(bob)]).toEqual([
    [0n, 0n],
    [100n, 0n],
  ]);
});

test('the recipient may reverse it for a time, a tenant admin for longer', async () => {
  const [ann, bob] = [await member(200n), await member()];
  const [first, second] = [await movements.send(order(ann, bob)), await movements.send(order(ann, bob))];
  await age(second, { settled_at: new Date(Date.now() - WINDOW_MS) });
  expect(await movements.reverse(act(first.id, bob))).toMatchObject({ status: 'reversed', look_at: null });
  await expect(movements.reverse(act(second.id, bob))).rejects.toMatchObject({ code: 'dispute_window_over' });
  await expect(movements.reverse(act(second.id, ann))).rejects.toMatchObject({ code: 'forbidden' });
  expect(await movements.reverse(act(second.id))).toMatchObject({ status: 'reversed' });
  expect(await balance(ann)).toEqual([200n, 0n]);
});

test('an act that is repeated under its key has been done; another one comes too late', async () => {
  const [ann, bob] = [await member(100n), await member(0n, true)];
  const { id } = await movements.send(order(ann, bob));
  const accept = act(id, bob);
  const replies = await Promise.all([1, 2, 3].map(() => movements.accept(accept)));
  expect(replies.map(({ status }) => status)).toEqual(['settled', 'settled', 'settled']);
  await expect(movements.accept(act(id, bob))).rejects.toMatchObject({ code: 'invalid_state' });
  expect([await balance(ann), await balance(bob)]).toEqual([
    [0n, 0n],
    [100n, 0n],
  ]);
});

test('a request is declined once, however often; after that it is neither paid nor taken back', async () => {
  const [ann, bob] = [await member(), await member(100n)];
  const requestId = newId('moneyRequest');
  const asked = { tenantId: place.tenantId, requestId, acting: ACTING };
  await requests.ask({ ...order(ann, bob), requestId, requesterId: ann, payer: { customerId: bob } });
  const replies = await Promise.all([1, 2, 3].map(() => requests.decline({ ...asked, customerId: bob })));
  expect(replies.map(({ status }) => status)).toEqual(['declined', 'declined', 'declined']);
  await expect(requests.cancel({ ...asked, customerId: ann })).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(requests.pay(asked, newId('transfer'))).rejects.toMatchObject({ code: 'invalid_state' });
});

test('what nobody takes within seven days goes back, once however often it is looked at', async () => {
  const [ann, bob] = [await member(100n), await member(0n, true)];
  const sent = await movements.send(order(ann, bob));
  const look = (now: Date) =>
    inTenant(async (trx) => advanceTransfer(trx, parts, await lockTransfer(trx, sent.id), now));
  const due = sent.created_at.getTime() + 7 * 86_400_000;
  expect(await look(new Date(due - 60_000))).toMatchObject({ status: 'held' });
  expect(await balance(ann)).toEqual([100n, 100n]);
  const looks = await Promise.all([1, 2, 3].map(() => look(new Date(due + 60_000))));
  expect(looks.map(({ status }) => status)).toEqual(['expired', 'expired', 'expired']);
  expect(await balance(ann)).toEqual([100n, 0n]);
  const { status } = await movements.find(place.tenantId, sent.id);
  const events = await movements.events(place.tenantId, sent.id);
  expect([status, ...events.map(({ to_status, actor }) => `${to_status} by ${actor}`)]).toEqual([
    'expired',
    `held by ${STAFF.id}`,
    'expired by flow',
  ]);
});

test('an invitation is paid out to whoever joins with the alias, who may want to accept it', async () => {
  const ann = await member(300n);
  const email = 'somebody@example.com';
  const invite = () => movements.send({ ...order(ann, ''), recipient: { type: 'email', value: email } });
  const [first, own] = [await invite(), await invite()];
  const { id } = await insertPerson(place, 'verified');
  const joining = { alias: { type: 'email' as const, value: email }, acceptEach: true };
  await membership.enroll(place.tenantId, id, joining, ACTING);
  await movements.welcome(place.tenantId, id);
  expect(await movements.find(place.tenantId, first.id)).toMatchObject({ status: 'held', recipient_id: id });
  expect(await movements.accept(act(first.id, id))).toMatchObject({ status: 'settled' });
  expect(await movements.decline(act(own.id, id))).toMatchObject({ status: 'declined' });
  expect([await balance(ann), await balance(id)]).toEqual([
    [200n, 0n],
    [100n, 0n],
  ]);
});

test('an invitation to one’s own address goes back', async () => {
  const ann = await member(100n);
  const alias = { type: 'email' as const, value: 'ann@example.com' };
  const { id } = await movements.send({ ...order(ann, ''), recipient: alias });
  await membership.addAlias(place.tenantId, ann, alias, ACTING);
  await movements.welcome(place.tenantId, ann);
  expect((await movements.find(place.tenantId, id)).status).toBe('cancelled');
  expect(await balance(ann)).toEqual([100n, 0n]);
});

test('an occurrence of a schedule is made once, and the next one after a refusal', async () => {
  const [ann, bob] = [await member(100n), await member()];
  const startsAt = new Date(Date.now() + 3_600_000);
  const at = (day: number) => new Date(startsAt.getTime() + day * 86_400_000);
  const schedule = await inTenant((trx) =>
    makeSchedule(trx, parts.keys, {
      ...order(ann, bob, 80n),
      scheduleId: newId('transferSchedule'),
      kind: 'schedule',
      recurrence: { frequency: 'daily', startsAt, endsAt: at(2) },
    }),
  );
  const run = (day: number) =>
    runSchedule(place.database, parts, { scheduleId: schedule.id, tenantId: place.tenantId, at: at(day) });
  const first = await Promise.all([run(0), run(0), run(0)]);
  expect(new Set(first.map((made) => made?.id)).size).toBe(1);
  expect(await run(1)).toMatchObject({ status: 'failed', fee_minor: 0n });
  await movements.reverse(act(first[0]!.id));
  expect(await run(2)).toMatchObject({ status: 'settled' });
  expect((await inTenant((trx) => trx('p2p_schedules').where({ id: schedule.id }).first())).status).toBe('ended');
  expect(await run(3)).toBeUndefined();
  expect(await balance(bob)).toEqual([80n, 0n]);
});

test('erasing a customer ends what is asked of it, and is refused while something waits for it', async () => {
  const [ann, bob] = [await member(100n), await member(0n, true)];
  const erase = (id: string) => inTenant(async (trx) => eraseCustomer(trx, await lockCustomer(trx, id)));
  const sent = await movements.send({ ...order(ann, bob), note: 'for lunch' });
  const asked = await requests.ask({
    ...order(ann, bob),
    requestId: newId('moneyRequest'),
    requesterId: ann,
    payer: { customerId: bob },
  });
  await expect(erase(bob)).rejects.toMatchObject({ code: 'customer_in_use' });
  await movements.decline(act(sent.id));
  await erase(bob);
  expect((await requests.find(place.tenantId, asked.id)).status).toBe('cancelled');
  await expect(movements.send(order(ann, bob))).rejects.toMatchObject({ code: 'not_found' });
  expect(await inTenant((trx) => trx('p2p_aliases').where({ customer_id: bob }))).toEqual([]);
});

describe('while the tenant is suspended', () => {
  const become = (status: string) => place.database.system('tenants').where({ id: place.tenantId }).update({ status });
  afterEach(() => become('active'));

  test('no transfer begins, and one that waits comes to its end', async () => {
    const [ann, bob] = [await member(300n), await member(0n, true)];
    const waits = await movements.send(order(ann, bob));
    expect(waits.status).toBe('held');
    await become('suspended');
    await expect(movements.send(order(ann, bob))).rejects.toMatchObject({ code: 'tenant_suspended' });
    expect(await balance(ann)).toEqual([300n, 100n]);
    const due = new Date(waits.created_at.getTime() + 8 * 86_400_000);
    await inTenant(async (trx) => advanceTransfer(trx, parts, await lockTransfer(trx, waits.id), due));
    expect(await balance(ann)).toEqual([300n, 0n]);
  });
});
