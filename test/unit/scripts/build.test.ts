import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../setup/project.js';

const folder = mkdtempSync(join(tmpdir(), 'tillway-build-'));
for (const name of ['scripts/build.mjs', 'scripts/compile.mjs', 'scripts/console.mjs', '.swcrc'])
  cpSync(join(projectRoot, name), join(folder, name));
symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function save(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
const build = () => spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, encoding: 'utf8' });
const built = (file: string) => readFileSync(join(folder, 'dist', file), 'utf8');
const writtenAt = (file: string) => statSync(join(folder, 'dist', file)).mtimeMs;

beforeEach(() => {
  rmSync(join(folder, 'src'), { recursive: true, force: true });
  save('src/one.ts', "import { two } from './two';\nexport const one: number = two;\n");
  save('src/two.ts', 'export const two = 2;\n');
  save('src/words.sql', 'SELECT 1');
  expect(build().status).toBe(0);
});

test('compiles what is TypeScript and copies the rest', () => {
  expect(built('src/one.js')).toContain('const one =');
  expect(built('src/words.sql')).toBe('SELECT 1');
});

test('compiles only what has changed', () => {
  const before = writtenAt('src/one.js');
  save('src/two.ts', 'export const two = 22;\n');
  expect(build().status).toBe(0);
  expect(built('src/two.js')).toContain('22');
  expect(writtenAt('src/one.js')).toBe(before);
});

test('takes away what has gone', () => {
  rmSync(join(folder, 'src/words.sql'));
  expect(build().status).toBe(0);
  expect(existsSync(join(folder, 'dist/src/words.sql'))).toBe(false);
});

test('says where something does not compile, and leaves all as it was', () => {
  save('src/one.ts', 'export const one = ;\n');
  save('src/two.ts', 'export const two = 222;\n');
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^src\/one\.ts\n/);
  expect(stderr).toContain('export const one = ;');
  expect(stderr).not.toContain(folder);
  expect(stderr).not.toContain('backtrace');
  expect(built('src/two.js')).not.toContain('222');
  save('src/one.ts', 'export const one = 1;\n');
  expect(build().status).toBe(0);
  expect([built('src/one.js'), built('src/two.js')]).toEqual([
    expect.stringContaining('const one = 1'),
    expect.stringContaining('222'),
  ]);
});

test('refuses an import of a file that has gone, though its own file has not changed', () => {
  rmSync(join(folder, 'src/two.ts'));
  const { status, stderr } = build();
  expect([status, stderr]).toEqual([1, 'src/one.ts\nimports ./two, and there is no such file\n']);
  expect(existsSync(join(folder, 'dist/src/two.js'))).toBe(true);
});

test('does not take the files that editors keep for a moment', () => {
  for (const name of ['.one.ts.swp', 'one.ts~', '4913', '.#one.ts']) save(`src/${name}`, 'nothing to { compile');
  expect(build().status).toBe(0);
  expect(existsSync(join(folder, 'dist/src/4913'))).toBe(false);
});
