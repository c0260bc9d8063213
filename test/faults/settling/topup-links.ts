import { newUuid } from '../../../src/domain/ids';
import { CARDS, type Json, outOfBalance, Simulator, until } from '../../e2e/client';
import { Visitor } from '../../e2e/page-visitors';
import { ACCOUNTS, Seller } from '../../e2e/sellers';
import { newCustomer, TOPUPS } from '../../e2e/topups';
import { ready } from '../inside';
import { place } from './place';

const WORKERS = ['tillway-api', 'tillway-worker'] as const;
const TITLE =
  'killed in the middle of top-ups by a link: each fills the wallet once, and is cleared to the seller once';

test(TITLE, async () => {
  const { stack, actors } = place;
  const seller = await Seller.create(stack.credentials, actors, ACCOUNTS.settles);
  const customerId = await newCustomer(actors);
  const asked = { purpose: 'topup', customerId, title: 'Top up', amount: '20.00', currency: 'EUR' };
  const { url, linkId } = (await seller.merchant.post('/payment-links/1.0.0/links', asked)).body;
  const simulator = new Simulator(stack.credentials.simulatorUrl, 'a');
  // One charge is made when we are dead already, of the other we have not heard the answer.
  await simulator.fault('authorize', 'delay', { delayMs: 1_200 });
  await simulator.fault('authorize', 'drop');
  const card = { number: CARDS.visa, expiry: '12/40', cvv: '123', holder: 'A Buyer', email: 'buyer@example.com' };
  const forms = [1, 2].map(() => ({ ...card, method: '1', attempt: newUuid(), order: newUuid() }));
  const sent = forms.map((form) => new Visitor(url).post('', form).catch(() => undefined));
  await until('both are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  const before = WORKERS.map((name) => stack.pidOf(name));
  for (const name of WORKERS) stack.kill(name);
  await Promise.all(sent);
  await until('new processes', async () =>
    WORKERS.every((name, n) => stack.pidOf(name) !== undefined && stack.pidOf(name) !== before[n]),
  );
  await ready(stack);
  // The buyers, who have no answer, send the same forms again.
  const again = await Promise.all(forms.map((form) => new Visitor(url).post('', form)));
  expect(again.map(({ status }) => status)).toEqual([303, 303]);
  const topups = () => actors.tenantAdmin.get(`${TOPUPS}?linkId=${linkId}`);
  const settled = await until('both are settled', async () => {
    const { data } = (await topups()).body;
    return data.length === 2 && data.every(({ status }: Json) => status === 'settled') && data;
  });
  for (const { paymentId } of settled)
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '20.00', refunded: '0.00' }]);
  const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
  expect(JSON.stringify(body)).toContain('"available":"40.00"');
  expect((await seller.balance()).available).toBe('40.00');
  expect(await outOfBalance(actors)).toEqual([]);
}, 180_000);
