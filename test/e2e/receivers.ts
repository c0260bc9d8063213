import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeChallengeResponse } from '../../src/sandbox/simulator/challenge-response';
import { CARDS, type Overrides } from './client';

/** How each processor writes and signs its callbacks, by hand and from its documentation: apart from our simulator. */

/** What a callback says: that the payment has ended without money, or that it was captured. */
export type Word = 'ended' | 'captured';

export interface Said {
  eventId: string;
  /** Id of the payment. */
  reference: string;
  /** Decimal. */
  amount: string;
  currency: string;
  /** Of the payer's page, where there is one. */
  challengeId: string;
}

/** A request to a receiver: everything but its address. */
export interface Written {
  query?: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a payment comes about that a receiver is tried with. */
export interface Paid {
  /** Of the H2H endpoint. */
  path: string;
  card?: string;
  currency?: string;
  amount?: string;
  body?: Overrides;
  /** A wallet token that holds the card. */
  wallet?: boolean;
}

export interface Receiver {
  name: string;
  method: 'GET' | 'POST';
  processor: string;
  /** A payment that waits when it is told that it has ended. */
  waiting: Paid;
  /** A payment that is charged, and whose charge nobody answers. */
  silent: Paid;
  /** What a payment is that has been told so. */
  ended: { transactionStatus: string; result: { code: number } };
  content: (word: Word, said: Said, secret: string) => string;
  seal: (content: string, secret: string) => Written;
  /** A secret of the form of the processor's. */
  makeSecret: () => string;
  /** It is believed once the processor has confirmed it, which has to be true there. */
  confirmed?: boolean;
  /** Nobody signs it. */
  unsigned?: boolean;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = { 'content-type': 'application/json' };
const BACK = { returnUrl: 'https://shop.example/back' };

const minor = (amount: string) => amount.replace('.', '');
const numberOf = (currency: string) => (currency === 'BBD' ? '052' : '978');
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const sorted = (text: string) => text.split('&').sort().join('&');
const seconds = () => `${Math.floor(Date.now() / 1_000)}`;
const hmac = (algorithm: 'sha256' | 'sha512', content: string, secret: string) =>
  createHmac(algorithm, secret).update(content);
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const anyText = () => randomBytes(32).toString('hex');

const failed = (code: number) => ({ transactionStatus: 'failed', result: { code } });
const byA = (content: string, secret: string) => hmac('sha256', content, secret).digest('hex');
const signedByA = (contentType: string) => (body: string, secret: string) => ({
  headers: { 'content-type': contentType, 'x-signature': byA(body, secret) },
  body,
});

const challenged: Paid = { path: '1', card: CARDS.challenge };
const silentCard: Paid = { path: '1', card: CARDS.neverAnswers };

const OF_A: Receiver[] = [
  {
    name: 'processor_a',
    method: 'POST',
    processor: 'a',
    waiting: challenged,
    silent: silentCard,
    ended: failed(201),
    content: (word, { eventId, reference, amount, currency }) => {
      const status = word === 'captured' ? 'CAPTURED' : 'REFUSED';
      return JSON.stringify({ eventId, status, refusalReason: 'INSUFFICIENT_FUNDS', reference, amount, currency });
    },
    seal: signedByA('application/json'),
    makeSecret: anyText,
  },
  {
    name: 'processor_a3ds',
    method: 'GET',
    processor: 'a',
    waiting: challenged,
    silent: silentCard,
    ended: failed(300),
    content: (word, { eventId, reference }) =>
      query({ status: word === 'captured' ? 'AUTHENTICATED' : 'AUTHENTICATION_FAILED', reference, eventId }),
    seal: (content, secret) => ({ headers: {}, query: `${content}&signature=${byA(sorted(content), secret)}` }),
    makeSecret: anyText,
  },
  {
    name: '3ds',
    method: 'POST',
    processor: 'a',
    waiting: challenged,
    silent: silentCard,
    ended: failed(300),
    // Only the issuer can make a challenge response, and the simulator's issuer has a form of its own for that.
    content: (word, { eventId, reference, challengeId: acsTransID }, secret) => {
      const transStatus = word === 'captured' ? 'Y' : 'N';
      const occurredAt = new Date().toISOString();
      return query({
        cres: writeChallengeResponse({ acsTransID, reference, transStatus, eventId, occurredAt }, secret),
      });
    },
    seal: signedByA(FORM),
    makeSecret: anyText,
    confirmed: true,
  },
];

const OF_B: Receiver = {
  name: 'processor_b',
  method: 'GET',
  processor: 'b',
  waiting: { path: '27', body: { apm: { payerName: 'A', payerEmail: 'a@buyer.example', country: 'PT' }, ...BACK } },
  silent: {
    path: '43',
    amount: '10.75',
    body: { apm: { payerName: 'A', payerEmail: 'a@buyer.example', country: 'PT' } },
  },
  ended: failed(201),
  content: (word, { eventId, reference, amount, currency }) =>
    query({
      referencia: reference,
      evento: eventId,
      estado: word === 'captured' ? 'pago' : 'recusado',
      motivo: 'saldo_insuficiente',
      valor: amount.replace('.', ','),
      moeda: currency,
    }),
  seal: (content, secret) => ({
    headers: {},
    query: `${content}&assinatura=${hmac('sha512', sorted(content), secret).digest('hex')}`,
  }),
  makeSecret: anyText,
};

const byC = {
  method: 'POST',
  processor: 'c',
  ended: failed(201),
  content: (word: Word, { eventId, reference, amount, currency }: Said) =>
    query({
      notice_id: eventId,
      state: word === 'captured' ? 'POSTED' : 'DENIED',
      response_code: '51',
      order_id: reference,
      amount: minor(amount),
      currency: numberOf(currency),
    }),
  seal: (content: string, secret: string) => ({
    headers: { 'content-type': FORM },
    body: `${content}&signature=${hmac('sha256', content, secret).digest('hex')}`,
  }),
  makeSecret: anyText,
} as const;

const OF_C: Receiver[] = [
  {
    name: 'processor_c',
    ...byC,
    waiting: { ...challenged, currency: 'BBD' },
    silent: { ...silentCard, currency: 'BBD' },
  },
  {
    name: 'processor_chp',
    ...byC,
    waiting: { path: '64', body: BACK },
    silent: { path: '64', body: BACK, amount: '10.75' },
  },
];

const OF_D: Receiver = {
  name: 'processor_dhp',
  method: 'POST',
  processor: 'd',
  waiting: { path: '65', body: BACK },
  silent: { path: '65', body: BACK, amount: '10.75' },
  ended: failed(201),
  content: (word, { eventId, reference, amount, currency }) =>
    JSON.stringify({
      notice: eventId,
      status: word === 'captured' ? 'charged' : 'refused',
      return_code: '014',
      order: reference,
      total: `${amount} ${currency}`,
    }),
  seal: (body, secret) => ({
    headers: {
      ...JSON_BODY,
      'signature-rsa': sign('RSA-SHA256', Buffer.from(body), createPrivateKey(secret)).toString('base64'),
    },
    body,
  }),
  makeSecret: () => pem(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey),
};

const byE = {
  method: 'POST',
  processor: 'e',
  seal: (body: string, secret: string) => {
    const t = seconds();
    const signature = hmac('sha256', `${t}.${body}`, secret).digest('hex');
    return { headers: { ...JSON_BODY, 'processor-signature': `t=${t},v1=${signature}` }, body };
  },
  makeSecret: anyText,
} as const;
const saidByE = (event: string, { eventId, reference, amount, currency }: Said, more: object = {}) =>
  JSON.stringify({
    eventId,
    event,
    about: { endToEndId: reference, amount: { value: amount, ccy: currency }, ...more },
  });
const DEBIT = { iban: 'DE89370400440532013000', accountHolder: 'A Buyer', signedAt: '2026-01-31T12:00:00.000Z' };

const OF_E: Receiver[] = [
  {
    name: 'processor_e',
    ...byE,
    waiting: { path: '62', body: { directDebit: DEBIT } },
    silent: { path: '62', body: { directDebit: DEBIT }, amount: '10.75' },
    ended: failed(201),
    content: (word, said) =>
      word === 'captured' ? saidByE('payment.booked', said) : saidByE('payment.rejected', said, { reasonCode: 'AM04' }),
  },
  {
    name: 'processor_eh2h',
    ...byE,
    waiting: { path: '48', wallet: true, card: CARDS.visa, body: { capture: 'manual' } },
    silent: { path: '48', wallet: true, card: CARDS.neverAnswers },
    ended: { transactionStatus: 'cancelled', result: { code: 110 } },
    content: (word, said) => saidByE(word === 'captured' ? 'payment.booked' : 'payment.revoked', said),
  },
];

const base64url = (value: string | object) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const OF_F: Receiver = {
  name: 'processor_f',
  method: 'POST',
  processor: 'f',
  waiting: { path: '60', body: { qr: {} } },
  silent: { path: '60', body: { qr: {} }, amount: '10.75' },
  ended: failed(201),
  content: (word, { eventId, reference, amount, currency }) =>
    JSON.stringify({
      jti: eventId,
      event: word === 'captured' ? 'order.succeeded' : 'order.rejected',
      data: { merchantReference: reference, reason: 'NotEnoughMoney', amount: { value: minor(amount), currency } },
    }),
  seal: (content, secret) => {
    const signed = `${base64url({ alg: 'ES256' })}.${base64url(content)}`;
    const key = { key: createPrivateKey(secret), dsaEncoding: 'ieee-p1363' } as const;
    const body = `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
    return { headers: { 'content-type': 'application/jose' }, body };
  },
  makeSecret: () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
};

const OF_G: Receiver = {
  name: 'processor_g',
  method: 'POST',
  processor: 'g',
  waiting: { ...challenged, currency: 'XCD' },
  silent: { ...silentCard, currency: 'XCD' },
  ended: failed(300),
  content: (word, { eventId, reference, amount, currency }) =>
    query({ nid: eventId, state: word === 'captured' ? '30' : '51', order: reference, total: `${amount} ${currency}` }),
  seal: (body) => ({ headers: { 'content-type': FORM }, body }),
  makeSecret: anyText,
  confirmed: true,
  unsigned: true,
};

const OF_H: Receiver = {
  name: 'processor_h',
  method: 'POST',
  processor: 'h',
  waiting: { path: '63', body: { crypto: { asset: 'ETH' } } },
  silent: { path: '63', body: { crypto: { asset: 'ETH' } }, amount: '10.75' },
  ended: failed(201),
  content: (word, { eventId, reference, amount, currency }) =>
    JSON.stringify({
      event_id: eventId,
      topic: word === 'captured' ? 'invoice/confirmed' : 'invoice/rejected',
      about: { merchant_ref: reference, reason: 'no_funds', amount: { amount, currency } },
    }),
  seal: (body, secret) => {
    const timestamp = seconds();
    const signature = hmac('sha512', `${timestamp}.${body}`, secret).digest('base64');
    return { headers: { ...JSON_BODY, 'x-timestamp': timestamp, 'x-signature': signature }, body };
  },
  makeSecret: anyText,
};

/** The receivers that tell of payments. */
export const RECEIVERS: readonly Receiver[] = [...OF_A, OF_B, ...OF_C, OF_D, ...OF_E, OF_F, OF_G, OF_H];
