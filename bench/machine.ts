import { cpus, loadavg, release, totalmem, type } from 'node:os';
import type { Knex } from 'knex';

/** More work of others than this, for each core, when a run begins: its figures are provisional. */
const BUSY_LOAD = 0.5;

/** The machine that a run measures, with what else it is doing, in one sentence or two. Call it before anything is started. */
export function describeMachine(): string {
  const cores = cpus();
  const [load = 0] = loadavg();
  const about = `${cores.length} × ${cores[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}, Node ${process.version}`;
  const beside = `Load average when it began: ${load.toFixed(1)}`;
  return load > BUSY_LOAD * cores.length
    ? `${about}. ${beside}: **provisional**, the machine had other work.`
    : `${about}. ${beside}.`;
}

/** Version of the database, as it says itself. */
export async function describePostgres(admin: Knex): Promise<string> {
  const { rows } = await admin.raw('SHOW server_version');
  return `PostgreSQL ${rows[0].server_version}`;
}
