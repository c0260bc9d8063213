import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CARDS,
  challenge,
  type Json,
  outOfBalance,
  type Reply,
  transfersOf,
  until,
} from './client';
import { newCustomer, TOPUPS, Topups } from './topups';

const { credentials } = sharedStack();
let actors: Actors;
let topups: Topups;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  topups = new Topups(actors.tenantAdmin);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

describe('states', () => {
  test('captured at once, held until settled, then available', async () => {
    const customerId = await newCustomer(actors);
    const { status, body } = await topups.create(customerId, { amount: '25.00' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      customerId,
      status: expect.stringMatching(/captured|settled/),
      amount: '25.00',
      fee: '0.00',
      netAmount: '25.00',
      result: { code: 0 },
      amounts: { authorized: '25.00', captured: '25.00', refunded: '0.00', chargedBack: '0.00', feeReturned: '0.00' },
      card: { last4Digits: '1111' },
    });
    const settled = await topups.until(body.topupId, 'settled');
    expect(settled.settledAt).toBeDefined();
    const causes = (await transfersOf(actors, settled.paymentId)).map(({ cause, phase, amount }) => [
      cause.split('/')[1],
      phase,
      amount,
    ]);
    expect(causes).toEqual([
      ['capture', 'posted', '25.00'],
      ['settled', 'posted', '25.00'],
    ]);
  });

  test('3-D Secure: awaiting the payer, then captured', async () => {
    const customerId = await newCustomer(actors);
    const { status, body } = await topups.create(customerId, {}, CARDS.challenge);
    expect([status, body.status]).toEqual([202, 'awaiting_3ds']);
    expect(body.action).toMatchObject({ type: 'redirect' });
    await challenge(body.action.url, 'authenticated');
    await topups.until(body.topupId, 'settled');
  });
});
