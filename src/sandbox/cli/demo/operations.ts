import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant, type PaymentRecord } from '../merchant';
import type { Stage } from './stage';

interface Difference {
  differenceId: string;
  kind: string;
  status: string;
}

/** The sandbox's rules hold in every process after this long. */
const RULES_KNOWN_MS = 5_500;

/** Much longer than C is waited for. */
const SLOWER_THAN_FAIL_OVER_MS = 15_000;

const card = { number: '4111111111111111', holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2030', cvv: '123' };

/** An admin's rule routes payments, and a processor that cannot be reached loses one to the next. */
export async function routingScene({ credentials, merchant, say }: Stage): Promise<void> {
  const admin = new Merchant({ ...credentials, ...credentials.clients.tenantAdmin });
  const before = await admin.send<{ rules: object[] }>('GET', '/routing/1.0.0/rules');
  const rule = { name: 'Caribbean', kinds: ['card'], currencies: ['JMD'], processors: ['c', 'a'] };
  await admin.send('PUT', '/routing/1.0.0/rules', { rules: [rule] });
  try {
    await sleep(RULES_KNOWN_MS);
    await makeFault(credentials.simulatorUrl, 'c', { on: 'authorize', fault: 'close_before' });
    say('A rule of the tenant sends cards in JMD to processor C first, then to A. The next call to C will be cut.');
    const { paymentId } = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
      merchantTransactionId: `demo-${randomUUID()}`,
      amount: '42.00',
      currency: 'JMD',
      card,
    });
    await merchant.until(paymentId, 'captured', 'settled');
    say('C is asked what it has; certain that it charged nothing, the payment goes to A:');
    for (const line of await merchant.timeline(paymentId)) console.log(`   ${line}`);
    await lateMoney({ credentials, merchant, say });
  } finally {
    await admin.send('PUT', '/routing/1.0.0/rules', before);
  }
}

/** Processor C is so slow that the payment goes to A, and charges after all: its money goes back. */
async function lateMoney({
  credentials,
  merchant,
  say,
}: Pick<Stage, 'credentials' | 'merchant' | 'say'>): Promise<void> {
  await makeFault(credentials.simulatorUrl, 'c', {
    on: 'authorize',
    fault: 'delay',
    delayMs: SLOWER_THAN_FAIL_OVER_MS,
  });
  const { paymentId } = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
    merchantTransactionId: `demo-${randomUUID()}`,
    amount: '42.00',
    currency: 'JMD',
    card,
  });
  await merchant.until(paymentId, 'captured', 'settled');
  say(
    'The next payment reaches C only after 15 s. Long before that C says that it does not know it, and A serves it.',
    ...(await merchant.attempts(paymentId)),
  );
  await merchant.untilDetail(paymentId, /returned to the payer/);
  say(
    'Then C charges after all. Nobody asked for that money any more: it is booked, and goes back under a key of its own.',
  );
  for (const line of await merchant.attempts(paymentId)) console.log(`   ${line}`);
}

/** A settlement report that is wrong by 1.00 is found and resolved. */
export async function reconciliationScene({ credentials, merchant, say, link }: Stage): Promise<void> {
  const ops = new Merchant({ ...credentials, ...credentials.clients.ops });
  const { paymentId } = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
    merchantTransactionId: `demo-${randomUUID()}`,
    amount: '42.00',
    currency: 'EUR',
    capture: 'manual',
    card,
  });
  await makeFault(credentials.simulatorUrl, 'a', { on: 'settlement', fault: 'wrong_amount', reference: paymentId });
  await merchant.call('POST', `/ipg/1.0.0/payment/payments/${paymentId}/capture`, {});
  say(`${paymentId} is captured, and processor A's settlement report will say 1.00 more than that.`);
  await sleep(3_000);
  await ops.send('POST', '/reconciliation/1.0.0/runs', { processor: 'a', graceMs: 0 });
  const path = `/reconciliation/1.0.0/differences?paymentReference=${paymentId}`;
  let found: Difference | undefined;
  for (let tries = 0; tries < 60 && !found; tries += 1) {
    [found] = await ops.list<Difference>(path);
    await sleep(250);
  }
  if (!found) throw new Error(`the difference of ${paymentId} was not found`);
  await ops.send('POST', `/reconciliation/1.0.0/differences/${found.differenceId}/resolve`, {
    resolution: 'write_off',
    reason: 'Shown in the demo',
  });
  const [resolved] = await ops.list<Difference>(path);
  say(
    `Reconciliation found ${found.kind}; ops write it off, which books an adjustment: ${resolved?.status}.`,
    `its workflows: ${link('reconciliation/a/schedule')}`,
  );
}

async function makeFault(simulatorUrl: string, processor: string, fault: object): Promise<void> {
  const response = await fetch(`${simulatorUrl}/sim/processors/${processor}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
}
