import { createHash, createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ownConsentsPath } from '../../../open-banking/consents/consent';
import { signDetached } from '../../../open-banking/signatures/sign';
import { Merchant } from '../merchant';
import type { Credentials } from '../sandbox';
import { Entrance, fieldsOf } from './entrance';
import { codeIn, letterTo, Person } from './person';
import type { Stage } from './stage';

const BASE = '/open-banking/2.0.0';
const DAY_MS = 24 * 3_600_000;

interface Tokens {
  access_token: string;
}
interface Balance {
  Type: string;
  Amount: { Amount: string; Currency: string };
}

/** A third party reads a customer's account and has a payment made from it, because the customer has agreed. */
export async function consentScene(stage: Stage): Promise<void> {
  const { credentials, say, link } = stage;
  const { tpp, authUrl, clients } = credentials;
  const admin = new Merchant({ ...credentials, ...clients.tenantAdmin });
  const provider = new Entrance(authUrl, tpp);
  try {
    const authorization = await tokenOf(provider, 'accounts');
    const consent = await provider.call<{ consentId: string; status: string; authorisationUrl: string }>(
      `${BASE}/consent`,
      { headers: { authorization }, json: json(consentRecord(credentials)) },
    );
    const { consentId } = consent;
    say(
      `${tpp.name} shows its certificate at ${authUrl} and asks to read Ada's account: ${consentId} is ${consent.status}.`,
      `its workflow, with a timer until it ends: ${link(`consent/${consentId}`)}`,
    );

    const reading = await authorised(credentials, provider, consent.authorisationUrl);
    const present = { authorization: reading, 'x-fapi-customer-ip-address': '192.0.2.1' };
    const { Data } = await provider.call<{ Data: { Account: { AccountId: string }[] } }>(`${BASE}/accounts`, {
      headers: present,
    });
    const { AccountId } = Data.Account[0]!;
    const balances = await provider.call<{ Data: { Balance: Balance[] } }>(`${BASE}/accounts/${AccountId}/balances`, {
      headers: present,
    });
    say(
      `Ada signs in, chooses the account and confirms. ${tpp.name} changes the code for tokens and reads ${AccountId}:`,
      ...balances.Data.Balance.map(({ Type, Amount }) => `${Type}: ${Amount.Amount} ${Amount.Currency}`),
    );

    await payment(stage, admin, provider);

    await admin.send('POST', `/consents/1.0.0/consents/${consentId}/revoke`, { reason: 'shown in the demo' });
    const { status } = await provider.send(`${BASE}/accounts`, { headers: present });
    say(`The bank ends ${consentId}. The next call of ${tpp.name} answers ${status}.`);

    const waiting = await provider.call<{ consentId: string; authorisationUrl: string }>(`${BASE}/consent`, {
      headers: { authorization },
      json: json(consentRecord(credentials)),
    });
    say(
      `${tpp.name} asks once more: ${waiting.consentId} waits for you. Open the page in a browser, which does not know the`,
      `sandbox's certificate authority, and sign in as ${credentials.customer.email} (password in credentials.json):`,
      challenged(waiting.authorisationUrl).start.href,
      `what Ada has allowed, and how she ends it: ${authUrl}${ownConsentsPath(credentials.tenantId)}`,
    );
  } finally {
    await provider.close();
  }
}

/** A payment that the third party asks for, and Ada confirms with a code that is good for its amount and payee alone. */
async function payment({ credentials, say, link }: Stage, admin: Merchant, provider: Entrance): Promise<void> {
  const { authUrl, tpp } = credentials;
  const iban = await payeeOf(credentials, admin);
  const Initiation = {
    InstructionIdentification: 'demo-1',
    EndToEndIdentification: 'demo-1',
    InstructedAmount: { Amount: '2.50', Currency: 'EUR' },
    CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name: 'Corner Shop' },
  };
  const asked = { Data: { Initiation }, Risk: {} };
  const authorization = await tokenOf(provider, 'payments');
  const { Data } = await provider.call<{ Data: { ConsentId: string; Status: string } }>(
    `${BASE}/domestic-payment-consents`,
    await signed(tpp, authorization, asked),
  );
  const { ConsentId } = Data;
  say(
    `${tpp.name} asks with a signed request for a payment of 2.50 EUR to Corner Shop: ${ConsentId} is ${Data.Status}.`,
    `its workflow: ${link(`consent/${ConsentId}`)}`,
  );
  const query = new URLSearchParams({
    client_id: tpp.clientId,
    response_type: 'code',
    scope: 'openid payments',
    consent_id: ConsentId,
    redirect_uri: tpp.redirectUri,
  });
  const paying = await authorised(credentials, provider, `${authUrl}/authorize?${query}`);
  const order = { ...asked, Data: { ConsentId, Initiation } };
  const paid = await provider.call<{ Data: { DomesticPaymentId: string; Status: string } }>(
    `${BASE}/domestic-payments`,
    await signed(tpp, paying, order),
  );
  say(
    'Ada confirms with a code whose message names amount and payee, and exactly that is paid, once.',
    `${paid.Data.DomesticPaymentId} is ${paid.Data.Status}`,
  );
}

/** Ada's way through the page, and the token that the provider gets for her code, as a header. */
async function authorised(credentials: Credentials, provider: Entrance, authorisationUrl: string): Promise<string> {
  const form = await exchangeOf(credentials, authorisationUrl);
  return `Bearer ${(await provider.call<Tokens>('/token', { form })).access_token}`;
}

/**
 * The customer's way from the provider's link to the code, in a browser without JavaScript. Answers what the provider then
 * sends for its tokens.
 */
export async function exchangeOf(
  { authUrl, tpp, customer, apiUrl }: Credentials,
  authorisationUrl: string,
): Promise<URLSearchParams> {
  const { verifier, start } = challenged(authorisationUrl);
  const browser = new Entrance(authUrl, { caPath: tpp.caPath });
  try {
    const page = (await browser.send(start.pathname + start.search)).location;
    await browser.send(`${page}/sign-in`, {
      form: new URLSearchParams({ name: customer.email, password: customer.password }),
    });
    const before = await messagesTo(apiUrl, customer.email);
    let answer = await browser.send(page, { form: fieldsOf(await browser.send(page)) });
    if (answer.status === 200) {
      const form = fieldsOf(answer);
      form.set('code', codeIn(await letterTo(apiUrl, customer.email, before + 1)));
      answer = await browser.send(page, { form });
    }
    if (answer.status !== 303) throw new Error(`the page took no decision: ${answer.status}`);
    const { pathname } = new URL(answer.location);
    const back = new URL((await browser.send(pathname)).location);
    return new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: tpp.redirectUri,
      code_verifier: verifier,
    });
  } finally {
    await browser.close();
  }
}

/** The whole address that a provider sends its customer to: with state and challenge (PKCE), whose verifier it keeps. */
function challenged(authorisationUrl: string): { verifier: string; start: URL } {
  const verifier = randomBytes(32).toString('base64url');
  const start = new URL(authorisationUrl);
  start.searchParams.set('state', randomUUID());
  start.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
  start.searchParams.set('code_challenge_method', 'S256');
  return { verifier, start };
}

/** A token of the provider's own, as a header. */
export async function tokenOf(provider: Entrance, scope: string): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope });
  return `Bearer ${(await provider.call<Tokens>('/token', { form })).access_token}`;
}

async function signed({ jwksKeyPath, kid, iss, tan }: Credentials['tpp'], authorization: string, body: object) {
  const key = createPrivateKey({ key: JSON.parse(readFileSync(jwksKeyPath, 'utf8')), format: 'jwk' });
  const bytes = json(body);
  const signature = await signDetached(bytes, { key, kid, iss, tan });
  return {
    headers: { authorization, 'x-idempotency-key': randomUUID(), 'x-jws-signature': signature },
    json: bytes,
  };
}

/** A consent that the customer has still to give: to read accounts and balances for 90 days. */
export function consentRecord({ tpp, tenantId, customer }: Credentials) {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  return {
    serviceProvider: tpp.name,
    customerId: customer.customerId,
    customerType: 'Person',
    status: 'AwaitingAuthorisation',
    consentedDate: at(0),
    sharingStartDate: at(-30),
    sharingEndDate: at(30),
    expiryDate: at(90),
    permissions: [{ name: 'ReadAccountsDetail' }, { name: 'ReadBalances' }],
    tenantId,
  };
}

/** The account number of a shop. Ada, who has joined transfers before, opens its wallet with a first one. */
async function payeeOf({ customer: { customerId } }: Credentials, admin: Merchant): Promise<string> {
  const recipient = `${randomUUID()}@demo.example`;
  const shop = await admin.send<{ customerId: string }>('POST', '/customer/1.0.0/create', {
    customerType: 'Person',
    customerName: 'Corner Shop',
    customerStatus: 'verified',
    person: { firstName: { name: 'Corner' }, lastName: { name: 'Shop' }, email: recipient },
  });
  await admin.send('POST', `/p2p/1.0.0/customers/${shop.customerId}/enroll`, { alias: recipient });
  const transfer = { senderId: customerId, recipient, amount: '1.00', currency: 'EUR' };
  await admin.send('POST', '/p2p/1.0.0/transfers', transfer);
  const path = `/wallet/1.0.0/customers/${shop.customerId}/balances`;
  return (await admin.list<{ iban: string }>(path))[0]!.iban;
}

async function messagesTo(apiUrl: string, to: string): Promise<number> {
  const path = `/sandbox/mailbox?to=${encodeURIComponent(to)}`;
  return (await new Person(apiUrl).send<{ data: unknown[] }>('GET', path)).data.length;
}

const json = (body: object): Buffer => Buffer.from(JSON.stringify(body));
