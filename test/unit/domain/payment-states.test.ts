import {
  canPaymentBecome,
  endedWithoutMoney,
  isClosed,
  PAYMENT_STATUSES,
  type PaymentStatus,
  statusAfterCapture,
} from '../../../src/domain/states/payment';

const ALLOWED = new Set(
  `initiated>pending initiated>requires_action initiated>authorized initiated>captured initiated>failed
   initiated>cancelled initiated>expired
   pending>requires_action pending>authorized pending>captured pending>failed pending>cancelled pending>expired
   requires_action>pending requires_action>authorized requires_action>captured requires_action>failed
   requires_action>cancelled requires_action>expired
   authorized>captured authorized>cancelled authorized>expired
   captured>settled captured>partially_refunded captured>refunded captured>charged_back
   settled>partially_refunded settled>refunded settled>charged_back
   partially_refunded>captured partially_refunded>settled partially_refunded>refunded partially_refunded>charged_back
   refunded>captured refunded>settled refunded>partially_refunded refunded>charged_back
   charged_back>captured charged_back>settled charged_back>partially_refunded charged_back>refunded`.split(/\s+/),
);

const PAIRS = PAYMENT_STATUSES.flatMap((from) =>
  PAYMENT_STATUSES.map((to): [PaymentStatus, PaymentStatus] => [from, to]),
);

test.each(PAIRS)('%s to %s', (from, to) => {
  expect(canPaymentBecome(from, to)).toBe(ALLOWED.has(`${from}>${to}`));
});

test('no way leads out of an end without money', () => {
  for (const status of PAYMENT_STATUSES)
    if (endedWithoutMoney(status)) expect(PAYMENT_STATUSES.some((to) => canPaymentBecome(status, to))).toBe(false);
});

test('what is open is not closed', () => {
  expect(PAYMENT_STATUSES.filter((status) => !isClosed(status))).toEqual([
    'initiated',
    'pending',
    'requires_action',
    'authorized',
  ]);
});

test.each([
  [0n, 0n, false, 'captured'],
  [0n, 0n, true, 'settled'],
  [40n, 0n, true, 'partially_refunded'],
  [100n, 0n, true, 'refunded'],
  [0n, 100n, true, 'charged_back'],
  [40n, 60n, false, 'charged_back'],
] as const)('refunded %s, charged back %s, settled %s is %s', (refundedMinor, chargedBackMinor, settled, status) => {
  expect(statusAfterCapture({ capturedMinor: 100n, refundedMinor, chargedBackMinor, settled })).toBe(status);
});
