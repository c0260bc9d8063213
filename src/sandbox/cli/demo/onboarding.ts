import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant, type PaymentRecord } from '../merchant';
import { DEMO_PDF, letterTo, Person } from './person';
import type { Stage } from './stage';

const BASE = '/onboarding/1.0.0';
const ACTIVATIONS = `${BASE}/activations`;
const PASSWORD = 'plum-orbit-lantern-42';

interface Newcomer {
  organizationId: string;
  state: string;
  mode: string;
}

interface Parameters {
  clientId: string;
  clientSecret: { value?: string; lastFour: string };
}

interface Activation {
  activationId: string;
  number: number;
  status: string;
  checks: { item: string; done: boolean }[];
}

/** A merchant comes on board by itself: invited, integrated, and live. */
export async function onboardingScene(stage: Stage): Promise<void> {
  const { credentials, say } = stage;
  const admin = new Merchant({ ...credentials, ...credentials.clients.tenantAdmin });
  const email = `tess-${randomUUID()}@tea.example`;
  const newcomer = await admin.send<Newcomer>('POST', `${BASE}/merchants`, {
    businessName: 'Tea & Co',
    technicalContact: { name: 'Tess Tea', email, phone: '+447700900123' },
    country: 'DE',
    currencies: ['EUR'],
  });
  say(`A tenant admin brings the merchant ${newcomer.organizationId} on board: ${newcomer.state}.`);
  const user = await invited(stage, email);
  const shop = await integrated(stage, user, newcomer);
  await activated(stage, admin, { user, shop, newcomer });
}

/** The link in the invitation leads to a form, once. */
async function invited({ credentials: { apiUrl }, say }: Stage, email: string): Promise<Person> {
  const person = new Person(apiUrl);
  const [, token] = /\?token=([\w-]+)/.exec(await letterTo(apiUrl, email, 1)) ?? [];
  const set = () => person.request('POST', `${BASE}/password`, { token, password: PASSWORD });
  const [first, second] = [await set(), await set()];
  const { access_token } = await person.send<{ access_token: string }>('POST', '/auth/1.0.0/users/token', {
    email,
    password: PASSWORD,
  });
  say(
    'The technical user opens the link of the invitation, sets the password, and signs in.',
    `the link works once: ${first.status}, then ${second.status}`,
    `the message lies in ${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`,
  );
  return person.signedIn(access_token);
}

/** The parameters are shown once; a secret is replaced while the old one still works. */
async function integrated(
  { credentials: { apiUrl }, say }: Stage,
  user: Person,
  { organizationId }: Newcomer,
): Promise<Merchant> {
  const first = await user.send<Parameters>('GET', `${BASE}/parameters`);
  const again = await user.send<Parameters>('GET', `${BASE}/parameters`);
  say(
    'The technical user reads the integration parameters: client id and secret, terminal id and password, callback secret.',
    `the first reading shows the client secret, the second its last four characters: ${again.clientSecret.value ?? `…${again.clientSecret.lastFour}`}`,
  );
  const shop = (clientSecret: string) =>
    new Merchant({ apiUrl, organizationId, clientId: first.clientId, clientSecret });
  const rotated = await user.send<{ value: string; previousUntil: string }>(
    'POST',
    `${BASE}/parameters/clientSecret/rotate`,
    { overlapSeconds: 3_600 },
  );
  const isGood = (secret: string) =>
    shop(secret)
      .signIn()
      .then(() => 'good')
      .catch(() => 'refused');
  const during = [await isGood(first.clientSecret.value!), await isGood(rotated.value)];
  await user.send('DELETE', `${BASE}/parameters/clientSecret/previous`);
  const after = [await isGood(first.clientSecret.value!), await isGood(rotated.value)];
  say(
    `The client secret is rotated; the old one stays good until ${rotated.previousUntil}, or until the merchant ends that.`,
    `during the overlap: old ${during[0]}, new ${during[1]}`,
    `afterwards: old ${after[0]}, new ${after[1]}`,
  );
  return shop(rotated.value);
}

/** An application that is not ready is rejected; the next one has everything, and is approved. */
async function activated(
  { credentials, say, link }: Stage,
  admin: Merchant,
  { user, shop, newcomer: { organizationId } }: { user: Person; shop: Merchant; newcomer: Newcomer },
): Promise<void> {
  const ops = new Merchant({ ...credentials, ...credentials.clients.ops, organizationId });
  const checklist = { termsAccepted: true, website: 'https://tea.example' };
  const first = await user.send<Activation>('POST', ACTIVATIONS, { checklist });
  const open = first.checks.filter(({ done }) => !done).map(({ item }) => item);
  const rejected = await ops.send<Activation>('POST', `${ACTIVATIONS}/${first.activationId}/reject`, {
    reason: 'No document, no payment, no callback',
  });
  say(
    `The merchant applies to go live; not there yet: ${open.join(', ')}.`,
    `an operator rejects it with a reason, which the contact is told: ${rejected.status}`,
  );

  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { paymentId } = await shop.call<PaymentRecord>('POST', '/payments/h2h/1', {
      merchantTransactionId: `demo-${randomUUID()}`,
      amount: '42.00',
      currency: 'EUR',
      card: { number: '4111111111111111', holder: 'Tess Tea', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
    });
    await shop.until(paymentId, 'captured', 'settled');
    const second = await user.send<Activation>('POST', ACTIVATIONS, {
      checklist,
      documents: [{ purpose: 'KYB', name: 'Extract from the register' }],
      callbackUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    });
    const path = `${ACTIVATIONS}/${second.activationId}`;
    await user.send('PUT', `${path}/documents/1/file`, DEMO_PDF);
    let now = second;
    for (let tries = 0; tries < 120 && !isReady(now); tries += 1) {
      await sleep(250);
      now = await user.send<Activation>('GET', path);
    }
    const approved = await ops.send<Activation>('POST', `${path}/approve`, {});
    const { mode } = await admin.send<Newcomer>('GET', `${BASE}/merchants/${organizationId}`);
    say(
      'It pays, applies again with a callback, and uploads its document; the callback answers a signed ping.',
      `checks: ${now.checks.map(({ item, done }) => `${item} ${done ? 'yes' : 'no'}`).join(', ')}`,
      `an operator approves: ${approved.status}, and the merchant is ${mode}`,
      `its workflow: ${link(`activation/${organizationId}/${second.number}`)}`,
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function isReady({ status, checks }: Activation): boolean {
  return status === 'in_review' && checks.every(({ done }) => done);
}
