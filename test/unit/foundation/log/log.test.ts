import { Writable } from 'node:stream';
import { createLog } from '../../../../src/foundation/log/log';
import { withPayment } from '../../../../src/foundation/log/payment';

function written(say: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  let text = '';
  const log = createLog(
    'test',
    'info',
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    }),
  );
  say(log);
  return JSON.parse(text);
}

test('a line tells its level in a word and its time by RFC 3339', () => {
  const line = written((log) => log.warn({ paymentId: 'pay_1' }, 'something'));
  expect(line).toMatchObject({ level: 'warn', name: 'test', paymentId: 'pay_1', msg: 'something' });
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Math.abs(Date.parse(line.time as string) - Date.now())).toBeLessThan(60_000);
});

test('what is secret stays hidden', () => {
  expect(written((log) => log.info({ password: 'x', body: { card: { number: '4111' } } }, 'request'))).toMatchObject({
    password: '[hidden]',
    body: { card: '[hidden]' },
  });
});

test.each([
  ['payment/pay_01k9', { paymentId: 'pay_01k9' }],
  ['refund/ref_01k9', {}],
  ['notifications/org_1/abc', {}],
  [undefined, {}],
])('a line about the flow %s carries %j', (workflowId, expected) => {
  expect(withPayment({ workflowId, attempt: 2 })).toEqual({ workflowId, attempt: 2, ...expected });
});
