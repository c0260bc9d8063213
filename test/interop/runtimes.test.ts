import { spawnSync } from 'node:child_process';
import { type Actors, actorsOf, CARDS, outOfBalance } from '../e2e/client';
import { auditOf } from '../faults/inside';
import { type Stack, startStack } from '../setup/stack';

/**
 * The platform on the long-term releases of Node.js that we support, beside the one that runs this test: started by it,
 * one payment settled and refunded, the books proved. The runtimes come from the registry of packages.
 */
const PATIENCE_MS = 300_000;

/** The newest Node.js of that release line. Answers in words why there is none: the registry cannot be had everywhere. */
function runtimeOf(release: number): { program: string } | string {
  const { status, stdout, stderr } = spawnSync(
    'npx',
    ['--yes', '--package', `node@${release}`, 'node', '--print', 'process.execPath'],
    { encoding: 'utf8', timeout: PATIENCE_MS },
  );
  const program = stdout?.trim().split('\n').at(-1);
  return status === 0 && program
    ? { program }
    : `Node.js ${release} cannot be had: ${stderr?.trim().split('\n').at(-1)}`;
}

describe.each([22, 24])('Node.js %d', (release) => {
  const runtime = runtimeOf(release);
  if (typeof runtime === 'string') {
    test.skip(runtime, () => undefined);
    return;
  }
  let stack: Stack;
  let actors: Actors;
  beforeAll(async () => {
    stack = await startStack({ node: runtime.program });
    actors = await actorsOf(stack.credentials);
  });
  afterAll(() => stack?.remove());

  test('takes, settles and refunds a payment, and its books are in order', async () => {
    const { merchant } = actors;
    expect(spawnSync(runtime.program, ['--version'], { encoding: 'utf8' }).stdout).toMatch(
      new RegExp(`^v${release}\\.`),
    );
    const { paymentId } = await merchant.paid(CARDS.visa);
    await merchant.until(paymentId, 'settled');
    expect((await merchant.refund(paymentId, { amount: '1.00' })).status).toBeLessThan(300);
    await merchant.until(paymentId, 'partially_refunded');
    expect(await outOfBalance(actors)).toEqual([]);
    expect((await auditOf(stack)).findings).toEqual([]);
  });
});
