import { payerCheckMs } from '../../../../src/money/saved-cards/card-verification';

test('the processor is asked after pauses that double, and when the time is up', () => {
  const timers = { payerInquiryFirstMs: 60_000, inquiryFirstMs: 1_000 };
  expect([0, 1, 2, 9].map((tries) => payerCheckMs(timers, tries, 900_000))).toEqual([
    60_000, 120_000, 240_000, 900_000,
  ]);
});

test('PAYER_INQUIRY_FIRST_MS=0 asks only when the time is up', () => {
  expect(payerCheckMs({ payerInquiryFirstMs: 0, inquiryFirstMs: 1_000 }, 3, 900_000)).toBe(900_000);
});
