import {
  bearsFee,
  CAUSES_OF_LINE,
  settledBy,
  UNSETTLED_MOVEMENTS,
} from '../../../../src/money/reconciliation/movements';

const MOVEMENTS = [
  'pay_1/capture',
  'pay_2/late',
  'ref_1/post',
  'pay_2/late-returned',
  'dsp_1/charged-back',
  'dsp_1/won',
];

test('a capture settles its payment, a refund itself, and nothing else settles anything', () => {
  expect(settledBy(MOVEMENTS, 'payment')).toEqual(['pay_1']);
  expect(settledBy(MOVEMENTS, 'refund')).toEqual(['ref_1']);
});

test('a line stands for the movements of its kind', () => {
  const sql = CAUSES_OF_LINE.replaceAll(/\s+/g, ' ');
  expect(sql).toContain("p.id || '/capture' AS cause WHERE g.kind = 'capture'");
  expect(sql).toContain("p.id || '/late' AS cause WHERE g.kind = 'capture'");
  expect(sql).toContain("g.reference || '/post' WHERE g.kind = 'refund'");
  expect(sql).toContain("p.id || '/late-returned' WHERE g.kind = 'refund' AND g.reference = p.id || '/late'");
  expect(sql).toContain("WHEN 'chargeback' THEN ARRAY['/charged-back','/lost']");
  expect(sql).toContain("WHEN 'chargeback_reversal' THEN ARRAY['/second-presentment','/won']");
  expect(sql).not.toMatch(/authorize|release|owed|settled|fee/);
});

test('every movement of a dispute is looked for in the reports', () => {
  for (const movement of ['charged-back', 'lost', 'second-presentment', 'won'])
    expect(UNSETTLED_MOVEMENTS).toContain(`('/${movement}', 'chargeback`);
});

test('a transfer that counts towards no payment bears no fee, and stands in reports under its own id', () => {
  expect(bearsFee('pay_1/capture')).toBe(true);
  expect(bearsFee('utr_1/arrived')).toBe(false);
  for (const sql of [CAUSES_OF_LINE, UNSETTLED_MOVEMENTS]) {
    expect(sql).toContain("(u.id || '/arrived', 'capture', u.transfer_id)");
    expect(sql).toContain("(u.id || '/matched', 'refund', u.transfer_id)");
    expect(sql).toContain("(u.id || '/returned', 'refund', u.return_reference)");
  }
});
