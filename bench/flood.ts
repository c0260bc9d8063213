import { Pool } from 'undici';
import { closedLoop } from './load';
import { headersOf, type Payer, payAtOnce } from './payer';

/** The process of a client that sends as much as it can: 500 connections, for `durationMs`. */

const CONNECTIONS = 500;

export interface FloodOrder extends Payer {
  apiUrl: string;
  durationMs: number;
}

process.on('message', async ({ apiUrl, durationMs, ...payer }: FloodOrder) => {
  const pool = new Pool(apiUrl, { connections: CONNECTIONS, headersTimeout: 60_000 });
  const headers = await headersOf(pool, payer);
  process.send!(await closedLoop(CONNECTIONS, durationMs, () => payAtOnce(pool, headers)));
  await pool.close();
  process.disconnect();
});
process.send!('ready');
