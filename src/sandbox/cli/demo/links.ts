import { randomUUID } from 'node:crypto';
import { Merchant, type PaymentRecord } from '../merchant';
import type { Stage } from './stage';

interface Link {
  linkId: string;
  url: string;
  status: string;
}

const LINKS = '/payment-links/1.0.0/links';

/** A seller without a shop: an item, a link that an admin approves, a buyer who pays on the page, a payout. */
export async function linksScene({ credentials, merchant, say, link: uiOf }: Stage): Promise<void> {
  const admin = new Merchant({ ...credentials, ...credentials.clients.tenantAdmin });
  const item = await merchant.send<{ itemId: string }>('POST', '/inventory/1.0.0/items', {
    sku: `demo-${randomUUID()}`,
    name: 'Hand-made bowl',
    price: '30.00',
    currency: 'EUR',
    quantity: 3,
  });
  await admin.send('POST', `/inventory/1.0.0/items/${item.itemId}/approve`);
  say('The seller adds an item with 3 pieces, and a tenant admin approves it.', item.itemId);

  const link = await merchant.send<Link>('POST', LINKS, {
    title: 'A bowl for Ada',
    currency: 'EUR',
    lines: [{ itemId: item.itemId, quantity: 1 }],
    maxPayments: 1,
    approval: 'required',
  });
  const before = await fetch(link.url);
  say(
    'The seller makes a payment link for one of them. It waits for an approval, so its page is not there yet.',
    `${link.linkId} is ${link.status}, its page answers ${before.status}`,
    `see the flow that waits: ${uiOf(`payment-link/${link.linkId}`)}`,
  );
  await admin.send('POST', `${LINKS}/${link.linkId}/approve`);
  say('The admin approves. This is the page for the buyer; open it in a browser:', link.url);

  const paymentId = await buy(link.url);
  const paid = await merchant.until(paymentId, 'captured', 'settled');
  const gone = await fetch(link.url);
  say(
    'The buyer fills in the form of the page; the bank asks for nothing.',
    `${paymentId} is ${paid.transactionStatus}; the page answers ${gone.status} from now on`,
  );
  const sold = await merchant.send<{ quantity: number; reserved: number }>(
    'GET',
    `/inventory/1.0.0/items/${item.itemId}`,
  );
  say('One piece is sold.', `quantity ${sold.quantity}, reserved ${sold.reserved}`);
}

/** What a browser without JavaScript does. Answers the id of the payment. */
async function buy(url: string): Promise<PaymentRecord['paymentId']> {
  const page = await (await fetch(url)).text();
  const hidden = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  const typed = {
    number: '4111111111111111',
    expiry: '12/30',
    cvv: '123',
    holder: 'Ada Lovelace',
    email: 'ada@example.com',
  };
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...typed }),
    redirect: 'manual',
  });
  const id = /pay_[0-9a-z]{26}/.exec(answer.headers.get('location') ?? '')?.[0];
  if (!id) throw new Error(`the page took no payment: ${answer.status}`);
  return id;
}
