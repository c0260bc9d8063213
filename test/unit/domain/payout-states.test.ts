import { canPayoutBecome, isOpenPayout, PAYOUT_STATUSES } from '../../../src/domain/states/payout';

const from = (status: (typeof PAYOUT_STATUSES)[number]) => PAYOUT_STATUSES.filter((to) => canPayoutBecome(status, to));

test('what was never sent cannot be settled, and what ended does not begin again', () => {
  expect(from('scheduled')).toEqual(['sent', 'failed', 'cancelled']);
  expect(from('sent')).toEqual(['settled', 'returned', 'failed']);
  expect(from('settled')).toEqual(['returned']);
  for (const end of ['returned', 'failed', 'cancelled'] as const) expect(from(end)).toEqual([]);
});

test('a flow runs until the processor has said how it ended', () => {
  expect(PAYOUT_STATUSES.filter(isOpenPayout)).toEqual(['scheduled', 'sent']);
});
