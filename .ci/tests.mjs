// All tests. Suites that fail run once more by themselves, when they are few: a crowded machine stops no landing, and
// what passes only alone is named, so that nobody overlooks it. Prints the count last; exits 1 unless all passed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process, { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

/** More than these are no matter of the machine. */
const MOST_AGAIN = 5;

const suitesOf = (results) => results?.testResults ?? [];
const failedSuites = (results) => suitesOf(results).filter(({ status }) => status === 'failed');
const passed = (suites) => suites.flatMap((one) => one.assertionResults).filter(({ status }) => status === 'passed');
/** A suite that could not even load, or whose clearing up failed, counts as one. */
const failures = ({ assertionResults, status }) =>
  status === 'failed' ? Math.max(1, assertionResults.filter((one) => one.status === 'failed').length) : 0;

/**
 * Runs all tests, and those suites that failed once more. `run`: runs jest with these arguments and answers its results,
 * undefined where it wrote none. `say`: prints a line.
 */
export function allTests(run, say) {
  const first = run([]);
  if (!first) {
    say('the tests wrote no results');
    return { passed: 0, failed: 1 };
  }
  const suspects = failedSuites(first);
  const paths = suspects.map(({ name }) => name);
  const again =
    paths.length > 0 && paths.length <= MOST_AGAIN ? run(['--runInBand', '--runTestsByPath', ...paths]) : undefined;
  const second = new Map(suitesOf(again).map((suite) => [suite.name, suite]));
  const last = suitesOf(first).map((suite) => second.get(suite.name) ?? suite);
  for (const { name, status } of last) {
    const file = relative(process.cwd(), name);
    if (status === 'failed') say(`${second.has(name) ? 'failed twice' : 'failed'}: ${file}`);
    else if (second.has(name)) say(`failed at first, passed alone: ${file}`);
  }
  return { passed: passed(last).length, failed: last.reduce((sum, suite) => sum + failures(suite), 0) };
}

function runJest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-results-'));
  const file = join(folder, 'results.json');
  try {
    spawnSync('npm', ['test', '--', '--json', `--outputFile=${file}`, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The argument: how many checks have failed before. They count too.
if (argv[1] === fileURLToPath(import.meta.url)) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const counts = allTests(runJest, say);
  const failed = counts.failed + Number(argv[2] ?? 0);
  say(`${counts.passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
