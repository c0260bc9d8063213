import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const COPIED = [
  ...['src', 'workflows', 'activities', 'workers', 'bench', 'test', 'scripts'],
  ...['package.json', 'tsconfig.json', 'biome.json', 'jest.config.mjs', '.gitignore', '.swcrc'],
];
const MINUTES = 60_000;

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'tillway-new-connector-'));
  for (const name of COPIED)
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

function run(...command: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: copy,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const create = (...names: string[]) => run('scripts/new-connector.mjs', ...names);
const read = (path: string) => readFileSync(join(copy, path), 'utf8');

describe('npm run new-connector', () => {
  it.each([[''], ['a'], ['Acme'], ['acme2'], ['../acme'], ['sim'], ['stripe']])(
    'refuses %j, and writes nothing',
    (name) => {
      const before = read('src/edge/processors/registry.ts');
      expect(create(name).status).toBe(1);
      expect(read('src/edge/processors/registry.ts')).toBe(before);
    },
  );

  it(
    'writes a connector that is registered, type-checks, is formatted and passes the suite',
    () => {
      expect(create('acme')).toMatchObject({
        status: 0,
        output: expect.stringContaining('src/edge/processors/acme/index.ts'),
      });
      expect(read('src/domain/connector.ts')).toMatch(/SIMULATED_PROCESSORS = \['a',.* 'acme'\] as const/);
      expect(read('src/edge/processors/registry.ts')).toMatch(/^ {2}acme: createConnectorAcme,$/m);
      expect(read('src/sandbox/simulator/app.ts')).toContain('processorAcme');
      expect(read('src/api/server/outside-operations.ts')).toContain("name: 'processor_acme'");
      expect(read('src/sandbox/seed/processor-fee-terms.ts')).toContain("processor: 'acme'");
      expect(run('node_modules/typescript/bin/tsc')).toEqual({ status: 0, output: '' });
      const sources = ['src/domain', 'src/edge/processors', 'src/sandbox', 'src/api', 'test/unit/edge/processors'];
      expect(run('node_modules/@biomejs/biome/bin/biome', 'ci', ...sources)).toMatchObject({ status: 0 });
      const suite = run('node_modules/jest/bin/jest.js', 'test/unit/edge/processors/acme.test.ts');
      expect(suite.output).toMatch(/Tests: +[1-9]\d+ passed/);
      expect(suite.status).toBe(0);
    },
    5 * MINUTES,
  );

  it('makes another one beside it, but not the same twice', () => {
    expect(create('acme')).toMatchObject({ status: 1, output: expect.stringContaining('is there already') });
    expect(create('zenith').status).toBe(0);
    expect(read('src/edge/processors/registry.ts')).toContain('zenith: createConnectorZenith');
  });
});
