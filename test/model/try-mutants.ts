import { TreeCopy } from '../setup/tree-copy';
import { MUTANTS, type Mutant } from './mutants';

/**
 * `npm run model:mutants`: takes each fix out of a copy of the tree and runs the model there, until it finds the bug or has
 * made all its runs. `MUTANTS=a,i2` tries those alone.
 */

const RUNS = process.env.MODEL_RUNS ?? '2000';
const SEED = process.env.MODEL_SEED ?? '1';
const WANTED = process.env.MUTANTS?.split(',');
const PATIENCE_MS = 3_600_000;

const chosen = MUTANTS.filter(({ bug }) => WANTED?.includes(bug) ?? true);
const table: string[] = [`Up to ${RUNS} runs each, from seed ${SEED}`];

beforeAll(() => {
  Object.assign(process.env, { MODEL_RUNS: RUNS, MODEL_SEED: SEED, MODEL_SHRINK: 'no' });
});
afterAll(() => console.log(table.join('\n')));

/** After how many runs the model finds the bug, and what it says of it; undefined where it does not find it. */
function tryOut({ file, from, to }: Mutant): { runs: string; because: string } | undefined {
  const copy = new TreeCopy('mutant');
  try {
    copy.replace(file, from, to);
    const { output, status } = copy.test('--selectProjects', 'model');
    const [, runs] = /Property failed after (\d+) tests?/.exec(output) ?? [];
    if (!runs && status !== 0) throw new Error(`the model did not run:\n${output}`);
    return runs ? { runs, because: /Cause:\s+(.*)/.exec(output)?.[1] ?? '' } : undefined;
  } finally {
    copy.remove();
  }
}

test.each(chosen)(
  'bug $bug is found: $says',
  (mutant) => {
    const found = tryOut(mutant);
    table.push(`${mutant.bug.padEnd(3)} ${found ? `after ${found.runs} runs: ${found.because}` : 'NOT FOUND'}`);
    expect(found).toBeDefined();
  },
  PATIENCE_MS,
);
