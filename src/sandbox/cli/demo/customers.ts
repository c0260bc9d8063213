import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'otplib';
import { Merchant, type PaymentRecord, Refused } from '../merchant';
import { codeIn, DEMO_PDF, letterTo, Person } from './person';
import type { Stage } from './stage';

const BASE = '/customer/1.0.0';
const TOKENS = '/auth/1.0.0/customers/token';
const PASSWORD = 'plum-orbit-lantern-42';

interface Member {
  customerId: string;
  email: string;
}

interface Actors {
  admin: Merchant;
  tenantId: string;
}

/** A customer from the first record to the last: verified, signed in, paying, exported, erased. */
export async function customersScene(stage: Stage): Promise<void> {
  const { credentials } = stage;
  const { tenantId, apiUrl } = credentials;
  const admin = new Merchant({ ...credentials, ...credentials.clients.tenantAdmin });
  const actors = { admin, tenantId };
  const member = await create(actors);
  const person = new Person(apiUrl, { tenantId });
  const who = { tenantId, email: member.email, password: PASSWORD };
  const { access_token } = await person.send<{ access_token: string }>('POST', TOKENS, who);
  await verified(stage, actors, member, person.signedIn(access_token));
  const customer = await signedInByCode(stage, actors, member, person);
  await secondFactor(stage, member, person, customer);
  await savedCards(stage, actors, member);
  await exportedAndErased(stage, actors, member);
}

async function create({ admin }: Actors): Promise<Member> {
  const email = `ada-${randomUUID()}@customer.example`;
  const { customerId } = await admin.send<Member>('POST', `${BASE}/create`, {
    customerType: 'Person',
    customerName: 'Ada Lovelace',
    person: {
      firstName: { name: 'Ada' },
      lastName: { name: 'Lovelace' },
      email,
      password: PASSWORD,
      documents: [{ purpose: 'KYC', name: 'identity card', documentType: 'ID front side' }],
    },
  });
  return { customerId, email };
}

/** The document is sent by the customer and reviewed by the admin; the flow does the rest. */
async function verified(
  { say, link }: Stage,
  { admin }: Actors,
  { customerId }: Member,
  customer: Person,
): Promise<void> {
  const state = async () =>
    (await admin.send<{ customerStatus: string }>('GET', `${BASE}/fetch/${customerId}`)).customerStatus;
  await admin.send('POST', `${BASE}/status/${customerId}`, {
    customerStatus: 'under_verificaiton',
    reason: 'Shown in the demo',
  });
  say(
    `A tenant admin creates the customer ${customerId} and asks for verification.`,
    `its status is ${await state()}: the contract spells it so, and so do we`,
  );
  const documents = `${BASE}/${customerId}/documents`;
  const { data } = await customer.send<{ data: { documentId: string }[] }>('GET', documents);
  const document = `${documents}/${data[0]?.documentId}`;
  const sent = await customer.send<{ status: string }>('PUT', `${document}/file`, DEMO_PDF);
  await admin.send('POST', `${document}/approve`, {});
  for (let tries = 0; tries < 120 && (await state()) !== 'verified'; tries += 1) await sleep(250);
  say(
    'The customer signs in with the password and uploads the document; the admin approves it, and the workflow verifies.',
    `the document was ${sent.status}, the customer is ${await state()}`,
    `its workflow: ${link(`verification/${customerId}`)}`,
  );
}

/** An address is verified by a code, and signs in by another. */
async function signedInByCode(
  { say, credentials: { apiUrl } }: Stage,
  { admin }: Actors,
  { customerId, email }: Member,
  person: Person,
): Promise<Person> {
  const verifications = `${BASE}/${customerId}/verifications`;
  const session = { type: 'email', value: email };
  const { sessionId } = await admin.send<{ sessionId: string }>('POST', verifications, session);
  const code = codeIn(await letterTo(apiUrl, email, 1));
  await admin.send('POST', `${verifications}/confirm`, { sessionId, code });
  const look = (more: object = {}) =>
    admin.send<{ credentials: { token: string }[] }[]>('POST', `${BASE}/getCredentials`, {
      credential: { credentialType: 'email', value: email, ...more },
    });
  await look();
  const [found] = await look({ code: codeIn(await letterTo(apiUrl, email, 2)) });
  say(
    'getCredentials without a code sends one to the verified address; with the code it answers the customer’s token.',
    `both codes lie in ${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`,
  );
  return person.signedIn(found!.credentials[0]!.token);
}

/** An authenticator app, and a flag that asks for it at sign-in. */
async function secondFactor(
  { say, credentials: { apiUrl } }: Stage,
  { customerId, email }: Member,
  person: Person,
  customer: Person,
) {
  const totp = `${BASE}/${customerId}/totp`;
  const unproven = await customer.request<{ session: { sessionId: string } }>('POST', totp);
  const proof = {
    'x-two-factor-session': unproven.body.session.sessionId,
    'x-two-factor-code': codeIn(await letterTo(apiUrl, email, 3)),
  };
  const { secret } = await customer.with(proof).send<{ secret: string }>('POST', totp);
  const { recoveryCodes } = await customer.send<{ recoveryCodes: string[] }>('POST', `${totp}/confirm`, {
    code: await generate({ secret }),
  });
  await customer.send('PUT', `${BASE}/twoFA/changeTwoFa/${customerId}`, { login: true });
  const { tenantId } = await customer.send<{ tenantId: string }>('GET', `${BASE}/fetch/${customerId}`);
  const who = { tenantId, email, password: PASSWORD };
  const asked = await person.request<{ code: string; session: { sessionId: string; method: string } }>(
    'POST',
    TOKENS,
    who,
  );
  const { sessionId, method } = asked.body.session;
  await person.send('POST', TOKENS, { ...who, sessionId, code: recoveryCodes[0] });
  say(
    `The customer enrols an authenticator app (QR code, ${recoveryCodes.length} recovery codes) and asks for it at sign-in.`,
    `the right password alone now answers ${asked.status} ${asked.body.code}, method ${method}`,
    'with a recovery code the customer is in; that code is used up',
  );
}

/** One card, two customers, two objects: each pays for its own customer only. */
async function savedCards({ say, merchant }: Stage, actors: Actors, { customerId }: Member): Promise<void> {
  const { admin } = actors;
  const other = await create(actors);
  const card = { number: '4111111111111111', holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2030' };
  const save = (id: string) =>
    admin.send<{ paymentMethodId: string }>('POST', `${BASE}/${id}/paymentMethods`, { card });
  const [mine, theirs] = [await save(customerId), await save(other.customerId)];
  const pay = (cardToken: string) =>
    merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
      merchantTransactionId: `demo-${randomUUID()}`,
      amount: '42.00',
      currency: 'EUR',
      cardToken,
      customer: { customerId },
    });
  const { paymentId } = await pay(mine.paymentMethodId);
  const { transactionStatus } = await merchant.until(paymentId, 'captured', 'settled');
  const refused = await pay(theirs.paymentMethodId).catch((error: Refused) => error);
  say(
    'The same card is saved for two customers, as two payment methods.',
    `with ${mine.paymentMethodId} the first pays: ${paymentId} is ${transactionStatus}`,
    `with ${theirs.paymentMethodId}, the second’s, it cannot: ${refused instanceof Refused ? refused.status : 'IT PAID'}`,
  );
  await admin.send('DELETE', `${BASE}/delete/${other.customerId}`);
}

async function exportedAndErased({ say }: Stage, { admin }: Actors, { customerId }: Member): Promise<void> {
  const held = await admin.send<Record<string, object>>('GET', `${BASE}/${customerId}/export`);
  say(
    'Everything that is held about the customer, to take away:',
    Object.entries(held)
      .map(([name, value]) => (Array.isArray(value) ? `${name} (${value.length})` : name))
      .join(', '),
  );
  await admin.send('DELETE', `${BASE}/delete/${customerId}`);
  const gone = await admin.send('GET', `${BASE}/fetch/${customerId}`).catch((error: Refused) => error);
  const kept = await admin.list<{ paymentId: string }>(`${BASE}/${customerId}/transactions`);
  say(
    'The customer is erased: record, secrets, documents and cards are gone, what the books need stays.',
    `fetch answers ${gone instanceof Refused ? gone.status : 'A RECORD'}; transactions: ${kept.map((row) => row.paymentId).join(', ')}`,
  );
}
