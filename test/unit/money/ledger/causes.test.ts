import { causeInSql, causeOf, parseCause } from '../../../../src/money/ledger/causes';

test.each([
  ['payment', 'pay_1', 'capture', 'pay_1/capture'],
  ['payment', 'pay_1', 'late-returned', 'pay_1/late-returned'],
  ['refund', 'ref_1', 'hold', 'ref_1/hold'],
  ['dispute', 'dsp_1', 'second-presentment', 'dsp_1/second-presentment'],
  ['dispute', 'dsp_1', 'charged-back/wallet', 'dsp_1/charged-back/wallet'],
  ['transfer', 'trf_1', 'fee-hold', 'trf_1/fee-hold'],
  ['unmatchedTransfer', 'utr_1', 'matched', 'utr_1/matched'],
  ['settlement', 'a/batch-1/line-1', 'fee-returned', 'settlement/a/batch-1/line-1/fee-returned'],
  ['adjustment', 'dif_1', '', 'adjustment/dif_1'],
  ['adjustment', 'dif_1', 'rest', 'adjustment/dif_1/rest'],
] as const)('the cause of a %s %s at %s is %s, and is read as that', (subject, id, step, cause) => {
  expect(causeOf(subject, id, step as never)).toBe(cause);
  expect(parseCause(cause)).toEqual({ subject, id, step });
});

test.each(['', 'pay_1', 'pay_1/unheard-of', 'fund/cus_1', 'settlement/a/batch-1'])('%s is no cause', (text) => {
  expect(parseCause(text)).toBeUndefined();
});

test('SQL builds the same causes', () => {
  expect(causeInSql('payment', 'p.id', 'capture')).toBe("p.id || '/capture'");
  expect(causeInSql('adjustment', 'd.id', '')).toBe("'adjustment/' || d.id");
  expect(causeInSql('adjustment', 'd.id', 'fee')).toBe("'adjustment/' || d.id || '/fee'");
});
