import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { notification, type Transfer } from '../src/sandbox/cli/tillway/bank-statement';

const TRANSFERS = 500;
const AT_ONCE = 16;
const LOOK_EVERY_MS = 50;

interface Place {
  api: Pool;
  /** Of a merchant, and of a tenant admin. */
  headers: Record<string, string>;
  admins: Record<string, string>;
}

interface Statement {
  statementId: string;
  status: string;
  outcomes?: { matched?: number };
}

/** Uploads a statement in which many open transfers were paid; answers how fast its lines are matched and booked. */
export async function measureStatementLines({ api, headers, admins }: Place): Promise<string> {
  const call = async <T>(method: 'GET' | 'POST', path: string, by: Record<string, string>, body?: string) => {
    const response = await api.request({ method, path, headers: by, body });
    const text = await response.body.text();
    if (response.statusCode >= 400) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
    return JSON.parse(text) as T;
  };
  const ask = async (): Promise<Transfer> => {
    const order = { merchantTransactionId: randomUUID(), amount: '10.00', currency: 'EUR' };
    const path = '/bank-transfer/1.0.0/transfers';
    return call<Transfer>('POST', path, headers, JSON.stringify(order));
  };
  const transfers: Transfer[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (transfers.length < TRANSFERS) transfers.push(await ask());
    }),
  );
  const file = notification(transfers, {});
  const beganAt = performance.now();
  const upload = { ...admins, 'content-type': 'application/xml' };
  const { statements } = await call<{ statements: Statement[] }>(
    'POST',
    '/bank-transfer/1.0.0/statements',
    upload,
    file,
  );
  const path = `/bank-transfer/1.0.0/statements/${statements[0]!.statementId}`;
  let statement = statements[0]!;
  while (statement.status !== 'booked') {
    await sleep(LOOK_EVERY_MS);
    statement = await call<Statement>('GET', path, admins);
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  const matched = statement.outcomes?.matched ?? 0;
  if (matched !== transfers.length) throw new Error(`${matched} of ${transfers.length} lines were matched`);
  return `Bank statement of ${matched} lines, each for an open payment: uploaded, matched and booked in ${seconds.toFixed(1)} s, ${Math.round(matched / seconds)} lines/s.`;
}
