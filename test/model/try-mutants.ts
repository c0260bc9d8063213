import { TreeCopy } from '../setup/tree-copy.js';
import { MUTANTS, type Mutant } from './mutants.js';

/**
 * `npm run model:mutants`: takes each fix out of a copy of the tree and runs the model there, until it finds the bug or has
 * made all its runs. With names of bugs, those alone. Exit code 1 when one is not found.
 */

const RUNS = process.env.MODEL_RUNS ?? '2000';
const SEED = process.env.MODEL_SEED ?? '1';

/** What the model says of a tree with a bug: after how many runs it was found; undefined where it was not. */
function tryOut({ file, from, to }: Mutant): string | undefined {
  const copy = new TreeCopy('mutant');
  try {
    copy.replace(file, from, to);
    const { output, status } = copy.test('--selectProjects', 'model');
    const found = /Property failed after (\d+) tests?/.exec(output)?.[1];
    if (!found && status !== 0) throw new Error(`the model did not run:\n${output}`);
    return found;
  } finally {
    copy.remove();
  }
}

Object.assign(process.env, { MODEL_RUNS: RUNS, MODEL_SEED: SEED, MODEL_SHRINK: 'no' });
const wanted = process.argv.slice(2);
const chosen = MUTANTS.filter(({ bug }) => wanted.length === 0 || wanted.includes(bug));
console.log(`Up to ${RUNS} runs each, from seed ${SEED}`);
const missed = chosen.filter((mutant) => {
  const found = tryOut(mutant);
  const verdict = found ? `found after ${found} runs` : 'NOT FOUND';
  console.log(`${mutant.bug.padEnd(3)} ${verdict.padEnd(22)} ${mutant.says}`);
  return found === undefined;
});
process.exitCode = missed.length > 0 ? 1 : 0;
