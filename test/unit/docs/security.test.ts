import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../setup/project';

const page = readFileSync(join(projectRoot, 'docs/security.md'), 'utf8');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
const rowsOf = (title: string) =>
  section(title)
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

test.each(['PCI DSS 4.0.1', 'OWASP ASVS 5.0.0'])('%s: every point names tests that are there', (standard) => {
  const rows = rowsOf(standard);
  expect(rows.length).toBeGreaterThan(20);
  for (const [, point, , shown] of rows) {
    const paths = [...shown!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
    expect([point, paths.length > 0]).toEqual([point, true]);
    expect(paths.filter((path) => !/^test\/.*\.test\.ts$/.test(path) || !existsSync(join(projectRoot, path)))).toEqual(
      [],
    );
  }
});

test.each(['PCI DSS 4.0.1', 'OWASP ASVS 5.0.0'])('%s: no point stands twice', (standard) => {
  const points = rowsOf(standard).map(([, point]) => point);
  expect(new Set(points).size).toBe(points.length);
});

test('every other path, command and link on the page leads somewhere', () => {
  const paths = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const commands = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  const links = [...page.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !existsSync(join(projectRoot, 'docs', link)))).toEqual([]);
});
