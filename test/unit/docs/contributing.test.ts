import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../setup/project';

const page = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8');

const foldersIn = (path: string) =>
  readdirSync(join(projectRoot, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => (path === '.' ? name : `${path}/${name}`));

/** The folders of the map, as paths. An indentation of two spaces is one level. */
function mapped(): string[] {
  const map = page.split(/<!-- map:(?:begin|end) -->/)[1] ?? '';
  const parents: string[] = [];
  return [...map.matchAll(/^( *)([\w-]+)\/(?: +\S.*)?$/gm)].map(([, indent, name]) => {
    const depth = indent!.length / 2;
    parents.length = depth;
    parents.push(name!);
    return parents.join('/');
  });
}

/** Every path of the page that begins with a folder of the house. `*` stands for any name. */
const paths = [...page.matchAll(/`((?:src|workflows|activities|workers|test|docs|scripts|bench)\/[\w./*-]+)`/g)].map(
  ([, path]) => path!.replace(/\/$/, ''),
);

/** A path with `*` is there when a folder has what follows. */
const isThere = (path: string): boolean => {
  const [folder, rest] = path.split(/\/\*\/?/);
  if (rest === undefined) return existsSync(join(projectRoot, path));
  return foldersIn(folder!).some((each) => existsSync(join(projectRoot, each, rest)));
};

test('the map shows every shelf and area, and no other', () => {
  const areas = foldersIn('src').flatMap((shelf) => [shelf, ...foldersIn(shelf)]);
  expect(
    mapped()
      .filter((path) => path.startsWith('src/'))
      .sort(),
  ).toEqual(areas.sort());
  expect(mapped().filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
});

test('every path on the page exists', () => {
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test('every command on the page exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const commands = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!);
  expect([...new Set(commands)].filter((name) => !(name in scripts))).toEqual([]);
});

test('every link leads somewhere', () => {
  const decisions = join(projectRoot, 'docs/decisions');
  const links = (text: string) => [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
  expect(links(page).filter((link) => !existsSync(join(projectRoot, link)))).toEqual([]);
  const index = links(readFileSync(join(decisions, 'README.md'), 'utf8'));
  expect(index.sort()).toEqual(
    readdirSync(decisions)
      .filter((name) => /^\d{4}-/.test(name))
      .sort(),
  );
});
