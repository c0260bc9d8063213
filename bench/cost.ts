import { setTimeout as sleep } from 'node:timers/promises';
import { atRest, type Cpu, comesToRest, cpuOf, eachPart, PARTS, type Part, spent } from './cpu';
import { describeMachine, describePostgres } from './machine';
import { type Operation, repeat } from './operations';
import { publish } from './report';
import { type Stand, stand } from './stand';

const AT_ONCE = 8;
const IDLE_SECONDS = 10;
/** After the start there is more to do than at rest. */
const STARTING_MS = 20_000;
/** Operations until V8 has compiled what they run. */
const WARM_UP = 500;
/** A core of a rented machine, an hour. What you pay: BENCH_CORE_HOUR. */
const CORE_HOUR = Number(process.env.BENCH_CORE_HOUR ?? 0.04);
/** The part of the cores that a cluster uses at its peak: BENCH_UTILISATION. */
const UTILISATION = Number(process.env.BENCH_UTILISATION ?? 0.6);
const HOURS_A_MONTH = 730;
/** The processors' machines are theirs. */
const PAID = (Object.keys(PARTS) as Part[]).filter((part) => part !== 'processor');

/**
 * `npm run bench -- cost`: CPU of each part of the platform for one of each of ten operations, with what follows from it
 * until the platform rests again, and what a cluster for 1,000 of them in a second costs. `names`: only these operations.
 */
export async function measureCost(names: string[]): Promise<void> {
  const machine = describeMachine();
  const place = await stand();
  try {
    await sleep(STARTING_MS);
    const idle = await atRest(place.platform, IDLE_SECONDS);
    const rows: string[] = [];
    for (const operation of place.chosen(names)) {
      const row = rowOf(operation.name, await costOf(place, operation, idle));
      rows.push(row);
      console.log(row);
    }
    const rest = eachPart((part) => idle[part]);
    const lines = [
      `${new Date().toISOString().slice(0, 10)}, ${machine} ${await describePostgres(place.admin)}.`,
      '',
      `CPU in milliseconds for one operation, ${AT_ONCE} at a time. At rest the platform uses ${PAID.map((part) => `${rest[part].toFixed(0)} ms (${part})`).join(', ')} in a second, which is taken off.`,
      `Cores: 1,000 in a second × CPU seconds of one, used to ${UTILISATION * 100} %. A month: cores × ${HOURS_A_MONTH} h × ${CORE_HOUR} for a core and hour.`,
      '',
      '| operation | API | worker | engine | Postgres | processor | cores for 1,000/s | a month |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      ...rows,
    ];
    if (names.length === 0) publish('cost', lines);
  } finally {
    await place.close();
  }
}

/** CPU of one operation in each part, in milliseconds. */
async function costOf({ platform }: Stand, operation: Operation, idle: Cpu): Promise<Cpu> {
  await operation.prepare?.(operation.count + WARM_UP);
  await repeat(WARM_UP, AT_ONCE, operation.once);
  await comesToRest(platform, idle);
  const [before, beganAt] = [cpuOf(platform), performance.now()];
  await repeat(operation.count, AT_ONCE, operation.once);
  await comesToRest(platform, idle);
  const used = spent(before, cpuOf(platform), idle, (performance.now() - beganAt) / 1_000);
  return eachPart((part) => used[part] / operation.count);
}

function rowOf(name: string, cost: Cpu): string {
  const cells = (Object.keys(PARTS) as Part[]).map((part) => cost[part].toFixed(2));
  // 1,000 a second of x ms each keep x cores busy.
  const cores = PAID.reduce((sum, part) => sum + cost[part], 0) / UTILISATION;
  const month = Math.round(cores * HOURS_A_MONTH * CORE_HOUR).toLocaleString('en');
  return `| ${name} | ${cells.join(' | ')} | ${cores.toFixed(1)} | ${month} |`;
}
