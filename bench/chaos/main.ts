import { parseArgs } from 'node:util';
import { startStack } from '../../test/setup/stack';
import { runBank } from './bank';
import { placeOf } from './place';

const USAGE = 'Usage: npm run chaos -- bank [--minutes n]';

/** `npm run chaos`: starts a platform of its own and attacks it while clients move money. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { minutes: { type: 'string', default: '5' } },
    allowPositionals: true,
  });
  const minutes = Number(values.minutes);
  if (positionals.join(' ') !== 'bank' || !(minutes > 0)) throw new Error(USAGE);
  const stack = await startStack({ env: { LOG_LEVEL: 'warn', API_RATE_LIMIT_PER_SECOND: '100000' } });
  try {
    const { problems } = await runBank(placeOf(stack), {
      durationMs: minutes * 60_000,
      killEveryMs: 10_000,
      say: (line) => console.log(line),
    });
    for (const problem of problems) console.log(`NOT TRUE: ${problem}`);
    console.log(problems.length === 0 ? 'Nothing was lost, nothing was made.' : `${problems.length} problems.`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    await stack.remove();
  }
}

main().catch((error: Error) => {
  console.error(`chaos: ${error.message}`);
  process.exitCode = 1;
});
