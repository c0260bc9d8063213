import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../setup/project.js';

const supplyChain = join(projectRoot, 'scripts/supply-chain.mjs');

/** Jest loads no module of this kind itself. */
function run(script: string, ...rest: string[]): unknown {
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script, ...rest], { encoding: 'utf8' }),
  );
}
const ask = (call: string) =>
  run(`import * as it from ${JSON.stringify(supplyChain)}; console.log(JSON.stringify(${call}))`);

const good = { version: '1.0.0', integrity: 'sha512-x' };
const faultsOf = (manifest: object, packages: Record<string, object>) =>
  ask(`it.faultsOf(${JSON.stringify(manifest)}, ${JSON.stringify({ packages: { '': {}, ...packages } })})`);

test.each<[string, object, Record<string, object>, string[]]>([
  ['what is in order', { dependencies: { a: '1.0.0' } }, { 'node_modules/a': good }, []],
  ['a range', { dependencies: { a: '^1.0.0' } }, { 'node_modules/a': good }, ['package.json asks for a ^1.0.0']],
  [
    'no integrity',
    {},
    { 'node_modules/x/node_modules/@s/a': { version: '1.0.0' } },
    ['package-lock.json has no integrity of @s/a'],
  ],
  [
    'a weak integrity',
    {},
    { 'node_modules/a': { integrity: 'sha1-x' } },
    ['package-lock.json has a weak integrity of a'],
  ],
  [
    'a variant for another system, without integrity',
    {},
    { 'node_modules/a': { optional: true, os: ['darwin'], cpu: ['x64'] } },
    ['package-lock.json has no integrity of a'],
  ],
  ['a script', {}, { 'node_modules/a': { ...good, hasInstallScript: true } }, ['a runs a script when it is installed']],
  [
    'a script that is forbidden',
    { allowScripts: { a: false } },
    { 'node_modules/a': { ...good, hasInstallScript: true } },
    [],
  ],
  ['a script of nobody', { allowScripts: { a: true } }, {}, ['allowScripts of package.json names a']],
])('%s', (_, manifest, packages, faults) => {
  expect(faultsOf(manifest, packages)).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});

test('the lockfile itself is in order', () => {
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((file) => join(projectRoot, file));
  const script = `import { readFileSync } from 'node:fs'; import { faultsOf } from ${JSON.stringify(supplyChain)};
    const [manifest, lock] = process.argv.slice(1).map((file) => JSON.parse(readFileSync(file, 'utf8')));
    console.log(JSON.stringify(faultsOf(manifest, lock)));`;
  expect(run(script, manifest!, lock!)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(GPL-3.0-only OR MIT)', true],
  ['MIT or MPL-2.0', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', false],
  ['', false],
])('the licence %p is allowed: %p', (licence, isAllowed) => {
  const found = ask(`it.licenceFaultsOf([{ name: 'a', version: '1.0.0', licence: ${JSON.stringify(licence)} }])`);
  expect(found).toHaveLength(isAllowed ? 0 : 1);
});
