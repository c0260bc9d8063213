import { createRequire } from 'node:module';
import { relative } from 'node:path';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/**
 * The longest suites, in the order in which they start: none of them is left over at the end, and those that load the
 * machine with a platform of their own do not all start together.
 */
const FIRST = [
  'faults/unsettled.test.ts',
  'model/model.test.ts',
  'e2e/callbacks.receivers.test.ts',
  'e2e/scripts/new-resource.test.ts',
  'e2e/console/every-page.tenant-admin.browser.test.ts',
  'e2e/console/every-page.operator.browser.test.ts',
  'e2e/tillway.test.ts',
  'e2e/reconciliation.test.ts',
  'e2e/kinds.test.ts',
  'e2e/console/every-page.merchant.browser.test.ts',
  'e2e/console/selling.test.ts',
  'faults/settling.test.ts',
  'e2e/topups.test.ts',
  'e2e/disputes.test.ts',
  'integration/scripts/new-connector.test.ts',
  'e2e/p2p.test.ts',
  'faults/impatient.test.ts',
  'e2e/high-risk.test.ts',
  'e2e/verification.test.ts',
  'e2e/notifications.test.ts',
  'faults/runtime/supervisor.test.ts',
  'e2e/p2p-customers.test.ts',
  'e2e/operator.test.ts',
  'e2e/standing-orders.test.ts',
  'faults/secrets.test.ts',
  'interop/stripe/stripe-stack.test.ts',
  'integration/money/reconciliation/reconciliation.test.ts',
  'integration/people/customers/documents.test.ts',
  'integration/api/openapi.test.ts',
];

const rank = ({ path, context }) => {
  const index = FIRST.indexOf(relative(`${context.config.rootDir}/test`, path));
  return index < 0 ? FIRST.length : index;
};

/** The longest suites first, then the others in jest's own order. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
