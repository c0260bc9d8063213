import { nextCheckMs, nextDue, waitsForPeople } from '../../../../src/money/payments/due';

const SINCE = new Date('2026-01-31T11:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number) => new Date(SINCE.getTime() + minutes * MINUTE);
const PAUSES = { payerInquiryFirstMs: MINUTE };
const payment = (overrides = {}) => ({
  status: 'requires_action' as const,
  capture_mode: 'automatic' as const,
  updated_at: SINCE,
  waits_until: at(15),
  ...overrides,
});

describe('the next question about a payment that waits for its payer', () => {
  test.each([
    [0, 1],
    [1, 2],
    [2.5, 4],
    [7.9, 8],
  ])('after %d minutes comes at %d', (now, next) => {
    expect(nextCheckMs(PAUSES, SINCE, at(15), at(now).getTime())).toBe(at(next).getTime());
  });

  test('does not come when the time is up before it, or when nobody is to ask', () => {
    expect(nextCheckMs(PAUSES, SINCE, at(15), at(8).getTime())).toBeUndefined();
    expect(nextCheckMs({ payerInquiryFirstMs: 0 }, SINCE, at(15), SINCE.getTime())).toBeUndefined();
  });
});

describe('the flow of a payment is due', () => {
  test('at the next question, then when the time is up, then never: it has a timer for the processor', () => {
    expect(nextDue(PAUSES, payment(), at(3).getTime())).toEqual(at(4));
    expect(nextDue(PAUSES, payment(), at(9).getTime())).toEqual(at(15));
    expect(nextDue(PAUSES, payment(), at(15).getTime())).toBeNull();
  });

  test('when the time to capture is up, where a merchant captures', () => {
    const authorized = { status: 'authorized' as const, waits_until: at(600) };
    expect(nextDue(PAUSES, payment({ ...authorized, capture_mode: 'manual' }), at(3).getTime())).toEqual(at(600));
    expect(nextDue(PAUSES, payment(authorized), at(3).getTime())).toBeNull();
  });

  test('never, where it waits for its processor or has ended', () => {
    for (const status of ['initiated', 'pending', 'captured', 'failed'] as const) {
      expect(waitsForPeople(payment({ status }))).toBe(false);
      expect(nextDue(PAUSES, payment({ status }), at(3).getTime())).toBeNull();
    }
  });
});
