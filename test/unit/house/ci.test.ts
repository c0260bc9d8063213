/** What becomes of suites that fail, as jest writes its results. */

const suite = (file: string, ...tests: ('passed' | 'failed')[]) => ({
  name: `${process.cwd()}/test/${file}`,
  status: tests.includes('failed') || tests.length === 0 ? 'failed' : 'passed',
  assertionResults: tests.map((status) => ({ status })),
});
type Results = { testResults: ReturnType<typeof suite>[] } | undefined;

/** No part of the program, so it has no types of its own. */
const { allTests } = require('../../../.ci/tests.mjs') as {
  allTests(run: (args: string[]) => Results, say: (line: string) => void): { passed: number; failed: number };
};

function ran(...runs: Results[]) {
  const asked: string[][] = [];
  const said: string[] = [];
  const counts = allTests(
    (args) => runs[asked.push(args) - 1],
    (line) => said.push(line),
  );
  return { asked, said, counts };
}
const results = (...testResults: ReturnType<typeof suite>[]): Results => ({ testResults });

test('when all pass, nothing runs again', () => {
  const { asked, said, counts } = ran(results(suite('a', 'passed'), suite('b', 'passed', 'passed')));
  expect({ asked, said, counts }).toEqual({ asked: [[]], said: [], counts: { passed: 3, failed: 0 } });
});

test('a suite that fails runs again alone; the second result counts, and both are told', () => {
  const first = results(suite('a', 'passed'), suite('b', 'passed', 'failed'), suite('c', 'failed', 'failed'));
  const { asked, said, counts } = ran(first, results(suite('b', 'passed', 'passed'), suite('c', 'passed', 'failed')));
  expect(asked[1]).toEqual(['--runInBand', '--runTestsByPath', suite('b').name, suite('c').name]);
  expect(said).toEqual(['failed at first, passed alone: test/b', 'failed twice: test/c']);
  expect(counts).toEqual({ passed: 4, failed: 1 });
});

test('a suite that could not load is a failure, however often', () => {
  expect(ran(results(suite('a')), results(suite('a')))).toMatchObject({
    said: ['failed twice: test/a'],
    counts: { passed: 0, failed: 1 },
  });
});

test('more than five do not run again', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => suite(name, 'failed'));
  const { asked, counts } = ran(results(...many));
  expect([asked.length, counts]).toEqual([1, { passed: 0, failed: 6 }]);
});

test('where no results were written, the first stand, or the run has failed', () => {
  expect(ran(results(suite('a', 'failed')), undefined).counts).toEqual({ passed: 0, failed: 1 });
  expect(ran(undefined).counts).toEqual({ passed: 0, failed: 1 });
});
