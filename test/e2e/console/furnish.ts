import { randomUUID } from 'node:crypto';
import type { Credentials } from '../../setup/stack';
import { type Actors, CARDS, type Json, type Reply, transactionId } from '../client';
import { Goods } from '../goods';
import { Provider } from '../open-banking/journey';
import { P2P, Transfers } from '../p2p';
import { Visitor as Buyer } from '../page-visitors';
import { ACCOUNTS, PAYOUTS, put, Seller } from '../sellers';
import { withOwnTpp } from '../tenants';
import { newCustomer } from '../topups';

/** Gives a new tenant something of each kind that the console lists. Throws where the API refuses any of it. */
export async function furnish(credentials: Credentials, tenant: Credentials, actors: Actors): Promise<void> {
  await Promise.all([
    sales(actors),
    goods(actors),
    wallets(actors),
    consents(actors, tenant),
    transfersByBank(actors),
    rules(actors),
    people(actors, tenant),
    refusedPayout(credentials, actors),
  ]);
}

async function done(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(`not done: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Payments in several states, a dispute, a callback that nobody believes, and notifications that nobody takes. */
async function sales({ merchant, simulator }: Actors): Promise<void> {
  await done(merchant.post('/notifications/1.0.0/endpoints', { url: 'http://127.0.0.1:9/', events: ['payment.*'] }));
  const [{ paymentId }, held] = await Promise.all([
    merchant.paid(CARDS.visa),
    merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']),
    merchant.paid(CARDS.declined, {}, ['failed']),
    merchant.paid(CARDS.chargedBack),
  ]);
  await done(merchant.refund(paymentId, { amount: '1.00' }));
  await simulator.callback({ reference: held.paymentId, event: 'captured', amount: '10.01' });
}

/** An item, one that waits, an order, its link, and a buyer who asks. */
async function goods(actors: Actors): Promise<void> {
  const shop = new Goods(actors);
  const { itemId } = await shop.approved();
  await shop.added({ name: 'Red mug' });
  const { orderId } = await shop.ordered([{ itemId, quantity: 1 }]);
  const { url } = await done(actors.merchant.post('/payment-links/1.0.0/links', { orderId, title: 'A mug' }));
  const typed = { email: 'ana@example.com', words: 'Is it dishwasher safe?', attempt: randomUUID() };
  const asked = await new Buyer(url).post('/tickets', typed);
  if (asked.status !== 303) throw new Error(`not asked: ${asked.status} ${asked.text}`);
}

/** Two customers: one has topped up, sent money, asked for some and ordered more to be sent. */
async function wallets(actors: Actors): Promise<void> {
  const { tenantAdmin } = actors;
  const transfers = new Transfers(tenantAdmin, actors);
  const [ann, bob] = await Promise.all([transfers.member('20.00'), transfers.member()]);
  const money = { amount: '1.00', currency: 'EUR' };
  await done(transfers.send(ann.customerId, bob.handle, {}));
  await done(tenantAdmin.post(`${P2P}/requests`, { requesterId: ann.customerId, payer: bob.customerId, ...money }));
  const schedule = { senderId: ann.customerId, recipient: bob.customerId, frequency: 'monthly' };
  await done(tenantAdmin.post(`${P2P}/schedules`, { ...schedule, ...money, startsAt: '2040-01-31T12:00:00Z' }));
}

/** A third party that waits for a customer. */
async function consents(actors: Actors, tenant: Credentials): Promise<void> {
  const provider = new Provider(await withOwnTpp(tenant));
  await provider.accountConsent(await newCustomer(actors)).finally(() => provider.close());
}

async function transfersByBank({ merchant, tenantAdmin }: Actors): Promise<void> {
  const account = { iban: 'DE75512108001245126199', holder: 'Sandbox', currency: 'EUR' };
  await done(put(tenantAdmin, '/bank-transfer/1.0.0/accounts', account));
  const order = { merchantTransactionId: transactionId(), amount: '10.00', currency: 'EUR', payerName: 'Ada Buyer' };
  await done(merchant.post('/bank-transfer/1.0.0/transfers', order));
}

async function rules({ tenantAdmin }: Actors): Promise<void> {
  const of = { operation: 'topup', currency: 'USD' };
  await done(put(tenantAdmin, '/wallet/1.0.0/fees', { ...of, fixed: '0.50' }));
  await done(put(tenantAdmin, '/wallet/1.0.0/limits', { ...of, perTransaction: '500.00' }));
  await done(put(tenantAdmin, `${PAYOUTS}/terms`, { currency: 'EUR', schedule: 'on_demand' }));
}

/** A merchant's account for payouts, a program, and an application to go live. */
async function people({ merchant, tenantAdmin }: Actors, { organizationId }: Credentials): Promise<void> {
  await done(put(merchant, `${PAYOUTS}/account`, { iban: ACCOUNTS.settles, holder: 'A Seller' }));
  await done(tenantAdmin.post('/identity/1.0.0/clients', { role: 'merchant', name: 'Till', organizationId }));
}

/** A payout that waits for an operator. */
async function refusedPayout(credentials: Credentials, actors: Actors): Promise<void> {
  const seller = await Seller.create(credentials, actors, ACCOUNTS.refused);
  await seller.sold();
  await done(seller.payOut());
}
