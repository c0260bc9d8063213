import { planFor } from '../../../../src/sandbox/runtime/dev/plan';

const BOTH = ['api', 'worker'];

test.each<[string, string[], boolean, boolean]>([
  ['src/api/main.ts', BOTH, false, false],
  ['src/domain/money.ts', BOTH, false, false],
  ['src/people/kyc/verification.ts', BOTH, false, false],
  ['activities/payment.ts', BOTH, false, false],
  ['workflows/payment.ts', BOTH, false, false],
  ['workers/main.ts', BOTH, false, false],
  ['src/sandbox/simulator/books.ts', ['simulator'], false, false],
  ['src/sandbox/simulator/processors/a/wire.ts', ['simulator'], false, false],
  ['src/foundation/db/migrations/20270101000000_add_a_thing.ts', BOTH, true, false],
  ['src/foundation/db/functions/payment_accept.sql', BOTH, true, false],
  ['src/sandbox/seed/tenants.ts', [], true, false],
  ['src/sandbox/runtime/supervisor.ts', [], false, true],
  ['src/sandbox/cli/audit.ts', [], false, false],
  ['bench/main.ts', [], false, false],
  ['test/setup/stack.ts', [], false, false],
])('a save of %s restarts %j', (file, restart, setUp, byHand) => {
  expect(planFor([file])).toEqual({ restart, setUp, byHand: byHand ? [file] : [] });
});

test('what several files ask for is done once', () => {
  expect(planFor(['src/api/main.ts', 'src/sandbox/simulator/app.ts', 'workflows/refund.ts'])).toEqual({
    restart: ['api', 'worker', 'simulator'],
    setUp: false,
    byHand: [],
  });
});

test('no file asks for nothing', () => {
  expect(planFor([])).toEqual({ restart: [], setUp: false, byHand: [] });
});
