import { createHmac } from 'node:crypto';
import type { RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { createConnectorA } from '../../../../src/edge/processors/a';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { describeConnector } from './contract';

const SECRET = 'secret of processor a';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
const sign = (content: string, secret: string) => createHmac('sha256', secret).update(content).digest('hex');

const payment = (members: object) =>
  JSON.stringify({ paymentId: 'pa_1', reference: 'pay_1', amount: '10.00', currency: 'EUR', ...members });
const refund = (members: object) =>
  JSON.stringify({ refundId: 'ra_1', reference: 'ref_1', amount: '4.00', currency: 'EUR', ...members });

const dispute = (members: object) =>
  JSON.stringify({ caseId: 'case_1', reference: 'pay_1', amount: '10.00', currency: 'EUR', ...members });

const post =
  (receiver: string, body: string) =>
  (secret: string): RawCallback => ({
    method: 'POST',
    path: `/callbacks/${receiver}`,
    query: '',
    headers: { 'x-signature': sign(body, secret) },
    body: Buffer.from(body),
  });

const json = (receiver: string, members: object) =>
  post(
    receiver,
    JSON.stringify({ eventId: 'evt_1', reference: 'pay_1', amount: '10.00', currency: 'EUR', ...members }),
  );

/** Signed in sorted order, sent in the order given. */
const query =
  (text: string) =>
  (secret: string): RawCallback => ({
    method: 'GET',
    path: '/callbacks/processor_a3ds',
    query: `signature=${sign(text.split('&').sort().join('&'), secret)}&${text}`,
    headers: {},
    body: Buffer.alloc(0),
  });

const cres = (members: object | string) => {
  const content = typeof members === 'string' ? members : JSON.stringify(members);
  return post('3ds', `cres=${Buffer.from(content).toString('base64url')}`);
};

const captured = { capturedAmount: '10.00' };
const standard = (status: string, type: string) => ({
  title: status,
  receiver: 'processor_a',
  raw: json('processor_a', { status }),
  means: {
    eventId: 'evt_1',
    reference: 'pay_1',
    type: type as 'captured',
    processorStatus: status,
    money: EUR(1_000n),
  },
});

describe('processor A', () => {
  describeConnector({
    processor: 'a',
    secret: SECRET,
    feeMinor: 15n,
    create: (options) => createConnectorA({ ...options, apiKey: apiKeyFor(SECRET) }),
    paymentAnswers: [
      {
        title: 'AUTHORISED',
        body: payment({ status: 'AUTHORISED' }),
        means: { kind: 'authorized', money: EUR(1_000n) },
      },
      ...['CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'CHARGEBACK'].map((status) => ({
        title: status,
        body: payment({ status, ...captured }),
        means: { kind: 'captured' as const, money: EUR(1_000n) },
      })),
      {
        title: 'CHALLENGE',
        body: payment({
          status: 'CHALLENGE',
          challenge: { url: 'https://issuer.example/c', expiresAt: '2030-01-01T00:00:00.000Z' },
        }),
        means: {
          kind: 'challenge',
          action: {
            type: 'redirect',
            method: 'GET',
            url: 'https://issuer.example/c',
            expiresAt: '2030-01-01T00:00:00.000Z',
          },
        },
      },
      ...[
        ['DO_NOT_HONOUR', RESULT.declined],
        ['INSUFFICIENT_FUNDS', RESULT.insufficientFunds],
        ['EXPIRED_CARD', RESULT.expiredCard],
        ['CVV_MISMATCH', RESULT.cvvMismatch],
        ['LIMIT_EXCEEDED', RESULT.limitExceeded],
        ['LOST_CARD', RESULT.lostOrStolenCard],
        ['STOLEN_CARD', RESULT.lostOrStolenCard],
        ['FRAUD_SUSPECTED', RESULT.blockedByRiskRule],
        ['constructor', RESULT.declined],
      ].map(([refusalReason, code]) => ({
        title: `REFUSED for ${refusalReason}`,
        body: payment({ status: 'REFUSED', refusalReason }),
        means: { kind: 'declined' as const, code: code as 200 },
      })),
      {
        title: 'REFUSED for want of authentication',
        body: payment({ status: 'REFUSED', refusalReason: 'AUTHENTICATION_REQUIRED' }),
        means: { kind: 'soft_declined', processorReference: 'pa_1' },
      },
      {
        title: 'AUTHENTICATION_FAILED',
        body: payment({ status: 'AUTHENTICATION_FAILED' }),
        means: { kind: 'authentication_failed' },
      },
      { title: 'CANCELLED', body: payment({ status: 'CANCELLED' }), means: { kind: 'voided' } },
      ...['IN_REVIEW', 'captured', 'constructor', '__proto__', 'toString', 'hasOwnProperty'].map((status) => ({
        title: `the unknown word ${status}`,
        body: payment({ status, ...captured }),
        means: { kind: 'pending' as const },
      })),
      {
        title: 'a refused operation, with the payment',
        status: 409,
        body: `{"payment":${payment({ status: 'CANCELLED' })}}`,
        means: { kind: 'voided' },
      },
      {
        title: 'captured without a captured amount',
        body: payment({ status: 'CAPTURED' }),
        means: { kind: 'unknown' },
      },
      { title: 'a challenge without a page', body: payment({ status: 'CHALLENGE' }), means: { kind: 'unknown' } },
      {
        title: 'a challenge page that is a script',
        body: payment({
          status: 'CHALLENGE',
          challenge: { url: 'javascript:alert(1)', expiresAt: '2030-01-01T00:00:00Z' },
        }),
        means: { kind: 'unknown' },
      },
      {
        title: 'another payment',
        body: payment({ status: 'CAPTURED', reference: 'pay_2', ...captured }),
        means: { kind: 'unknown' },
      },
      {
        title: 'an amount as a number',
        body: payment({ status: 'AUTHORISED', amount: 10 }),
        means: { kind: 'unknown' },
      },
      {
        title: 'an amount with other decimals',
        body: payment({ status: 'AUTHORISED', amount: '10.0' }),
        means: { kind: 'unknown' },
      },
      {
        title: 'a currency that is none',
        body: payment({ status: 'AUTHORISED', currency: 'constructor' }),
        means: { kind: 'unknown' },
      },
      { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
      { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
    ],
    refundAnswers: [
      { title: 'REFUNDED', body: refund({ status: 'REFUNDED' }), means: { kind: 'refunded', money: EUR(400n) } },
      { title: 'REFUND_FAILED', body: refund({ status: 'REFUND_FAILED' }), means: { kind: 'refund_declined' } },
      { title: 'REFUND_PENDING', body: refund({ status: 'REFUND_PENDING' }), means: { kind: 'pending' } },
      { title: 'the unknown word constructor', body: refund({ status: 'constructor' }), means: { kind: 'pending' } },
      { title: 'another refund', body: refund({ status: 'REFUNDED', reference: 'ref_2' }), means: { kind: 'unknown' } },
      { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
    ],
    disputeAnswers: [
      ...[
        ['DISPUTE_OPEN', 'open'],
        ['EVIDENCE_RECEIVED', 'evidence_submitted'],
        ['PRESENTMENT_RECEIVED', 'presented'],
        ['SECOND_PRESENTMENT', 'second_presentment'],
        ['CHARGEBACK_REVERSED', 'won'],
        ['CHARGEBACK_CONFIRMED', 'lost'],
      ].map(([status, stage]) => ({
        title: `${status}`,
        body: dispute({ status }),
        means: { kind: 'stands' as const, stage: stage as 'open', money: EUR(1_000n) },
      })),
      ...['IN_REVIEW', 'constructor', 'won'].map((status) => ({
        title: `the unknown word ${status}`,
        body: dispute({ status }),
        means: { kind: 'unknown' as const },
      })),
      {
        title: 'a refused call, with the dispute',
        status: 409,
        body: `{"dispute":${dispute({ status: 'CHARGEBACK_REVERSED' })}}`,
        means: { kind: 'refused', stage: 'won' },
      },
      { title: 'a call that is not valid', status: 422, body: '{}', means: { kind: 'refused' } },
      {
        title: 'a case with an amount that is none',
        body: dispute({ status: 'DISPUTE_OPEN', amount: 10 }),
        means: { kind: 'unknown' },
      },
      {
        title: 'another case',
        body: dispute({ status: 'DISPUTE_OPEN', caseId: 'case_2' }),
        means: { kind: 'unknown' },
      },
      { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
    ],
    callbacks: [
      standard('AUTHORISED', 'authorized'),
      standard('CAPTURED', 'captured'),
      standard('SETTLED', 'settled'),
      standard('CANCELLED', 'voided'),
      standard('AUTHENTICATION_FAILED', 'authentication_failed'),
      standard('IN_REVIEW', 'pending'),
      standard('constructor', 'pending'),
      {
        title: 'REFUSED',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'REFUSED', refusalReason: 'INSUFFICIENT_FUNDS' }),
        means: { type: 'failed', code: RESULT.insufficientFunds },
      },
      {
        title: 'REFUSED for want of authentication',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'REFUSED', refusalReason: 'AUTHENTICATION_REQUIRED' }),
        means: { type: 'failed', code: RESULT.authenticationFailed, isSoft: true },
      },
      {
        title: 'SETTLEMENT_READY',
        receiver: 'processor_a',
        raw: post('processor_a', '{"eventId":"evt_2","status":"SETTLEMENT_READY","batchId":"ba_1","count":3}'),
        means: { type: 'settlement_batch', batchId: 'ba_1', eventId: 'evt_2' },
      },
      ...['CARD_UPDATED', 'CARD_CLOSED'].map((status) => ({
        title: status,
        receiver: 'processor_a',
        raw: post('processor_a', JSON.stringify({ eventId: 'evt_3', status, reference: 'pay_1', updateId: 'upd_1' })),
        means: { type: 'card_update' as const, reference: 'pay_1', updateId: 'upd_1' },
      })),
      {
        title: 'CHARGEBACK',
        receiver: 'processor_a-chargeback',
        raw: json('processor_a-chargeback', { status: 'CHARGEBACK', caseId: 'case_1', reason: 'FRAUD' }),
        means: { type: 'charged_back', caseId: 'case_1', reason: 'FRAUD', money: EUR(1_000n) },
      },
      {
        title: 'SECOND_PRESENTMENT',
        receiver: 'processor_a-chargeback',
        raw: json('processor_a-chargeback', { status: 'SECOND_PRESENTMENT', caseId: 'case_1' }),
        means: { type: 'second_presentment', caseId: 'case_1', money: EUR(1_000n) },
      },
      {
        title: 'CHARGEBACK_REVERSED',
        receiver: 'processor_a-chargeback',
        raw: json('processor_a-chargeback', { status: 'CHARGEBACK_REVERSED', caseId: 'case_1' }),
        means: { type: 'chargeback_won' },
      },
      {
        title: 'CHARGEBACK_CONFIRMED',
        receiver: 'processor_a-chargeback',
        raw: json('processor_a-chargeback', { status: 'CHARGEBACK_CONFIRMED', caseId: 'case_1' }),
        means: { type: 'chargeback_lost' },
      },
      {
        title: 'REFUNDED',
        receiver: 'processor_a-refund',
        raw: json('processor_a-refund', { status: 'REFUNDED', reference: 'ref_1' }),
        means: { type: 'refunded', reference: 'ref_1' },
      },
      {
        title: 'REFUND_FAILED',
        receiver: 'processor_a-refund',
        raw: json('processor_a-refund', { status: 'REFUND_FAILED', reference: 'ref_1' }),
        means: { type: 'refund_declined', reference: 'ref_1' },
      },
      {
        title: 'AUTHENTICATED, parameters in any order',
        receiver: 'processor_a3ds',
        raw: query('status=AUTHENTICATED&reference=pay_1&occurredAt=2026-01-31T12%3A00%3A00.000Z&eventId=evt_3'),
        means: { type: 'authenticated', reference: 'pay_1', eventId: 'evt_3', occurredAt: '2026-01-31T12:00:00.000Z' },
      },
      {
        title: 'AUTHENTICATION_FAILED',
        receiver: 'processor_a3ds',
        raw: query('eventId=evt_4&reference=pay_1&status=AUTHENTICATION_FAILED'),
        means: { type: 'authentication_failed' },
      },
      ...[
        ['Y', 'authenticated'],
        ['A', 'authenticated'],
        ['N', 'authentication_failed'],
        ['R', 'authentication_failed'],
        ['U', 'authentication_failed'],
        ['C', 'pending'],
        ['constructor', 'pending'],
      ].map(([transStatus, type]) => ({
        title: `transStatus ${transStatus}`,
        receiver: '3ds',
        raw: cres({ transStatus, reference: 'pay_1', eventId: 'evt_5' }),
        means: { type: type as 'pending', reference: 'pay_1', eventId: 'evt_5' },
      })),
    ],
    malformedCallbacks: [
      ...['', '[]', 'null', '{', 'a=b'].map((body) => ({
        title: `the body ${body || 'nothing'}`,
        receiver: 'processor_a',
        raw: post('processor_a', body),
      })),
      {
        title: 'no event id',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'CAPTURED', eventId: undefined }),
      },
      { title: 'no status', receiver: 'processor_a', raw: json('processor_a', {}) },
      { title: 'a status that is a number', receiver: 'processor_a', raw: json('processor_a', { status: 1 }) },
      {
        title: 'an amount that is none',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'CAPTURED', amount: '1' }),
      },
      {
        title: 'a time that is none',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'CAPTURED', occurredAt: 'now' }),
      },
      {
        title: 'a batch without its id',
        receiver: 'processor_a',
        raw: json('processor_a', { status: 'SETTLEMENT_READY' }),
      },
      { title: 'no reference', receiver: 'processor_a3ds', raw: query('eventId=evt_4&status=AUTHENTICATED') },
      {
        title: 'a name that is there twice',
        receiver: 'processor_a3ds',
        raw: query('eventId=evt_4&reference=pay_1&reference=pay_2&status=AUTHENTICATED'),
      },
      { title: 'no cres', receiver: '3ds', raw: post('3ds', 'pares=x') },
      { title: 'a cres that is not base64url', receiver: '3ds', raw: post('3ds', 'cres=%7B%7D') },
      { title: 'a cres that is not JSON', receiver: '3ds', raw: cres('nothing') },
      { title: 'a cres without transStatus', receiver: '3ds', raw: cres({ reference: 'pay_1', eventId: 'e' }) },
    ],
  });
});
