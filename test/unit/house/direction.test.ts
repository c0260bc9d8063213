import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { projectRoot } from '../../setup/project';

/** The shelves from the lowest to the highest: what stands on one imports from itself and from those before it. */
const SHELVES = [
  'domain',
  'foundation',
  'people',
  'money',
  'commerce',
  'open-banking',
  'edge',
  'activities',
  'workers',
  'api',
  'sandbox',
];
const OUTSIDE_SRC = ['workflows', 'activities', 'workers'];
const MOST_LINES = 400;

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files = ['src', ...OUTSIDE_SRC].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    // The console has a house of its own: console.test.ts.
    .filter((name) => name.endsWith('.ts') && !name.startsWith('src/web/console/')),
);
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

/** Every relative import and re-export, those of types too. */
const imports: Import[] = files.flatMap((from) =>
  [...read(from).matchAll(/^(?:import|export)\s(type\s)?[^;'"]*?(?:from\s)?['"](\.[^'"]+)['"]/gm)].map(
    ([, type, path]) => ({ from, to: normalize(join(dirname(from), path!)), typeOnly: type !== undefined }),
  ),
);

function shelfOf(file: string): string {
  const [first, second] = file.split('/');
  return first === 'src' ? second!.replace(/\.ts$/, '') : first!;
}

/** `src/<shelf>/<area>`; a file that stands on the shelf itself is an area of its own, `src/domain` is one area. */
function areaOf(file: string): string {
  const [first, shelf, area] = file.replace(/\.ts$/, '').split('/');
  if (first !== 'src') return first!;
  return shelf === 'domain' ? 'src/domain' : `src/${shelf}/${area}`;
}

function ringsOf(edges: Map<string, Set<string>>): string[] {
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>();
    for (const queue = [...(edges.get(start) ?? [])]; queue.length > 0; ) {
      const at = queue.pop()!;
      if (seen.has(at)) continue;
      seen.add(at);
      queue.push(...(edges.get(at) ?? []));
    }
    return seen;
  };
  return [...edges.keys()].filter((area) => reach(area).has(area)).sort();
}

function edgesBy(nameOf: (file: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [one, other] = [nameOf(from), nameOf(to)];
    if (one !== other) edges.set(one, (edges.get(one) ?? new Set()).add(other));
  }
  return edges;
}

describe('the house', () => {
  it('is read whole', () => {
    expect(files.length).toBeGreaterThan(400);
    expect(imports.length).toBeGreaterThan(1_000);
    expect(new Set(files.filter((file) => file.startsWith('src/')).map(shelfOf)).size).toBeLessThanOrEqual(11);
  });

  it('has no ring between areas, type imports included', () => {
    expect(ringsOf(edgesBy(areaOf))).toEqual([]);
  });

  it('imports from the same shelf or a lower one only', () => {
    const upward = imports.filter(({ from, to, typeOnly }) => {
      if (shelfOf(from) === 'workflows')
        return !(['workflows', 'domain'].includes(shelfOf(to)) || (typeOnly && shelfOf(to) === 'activities'));
      return shelfOf(to) === 'workflows' || SHELVES.indexOf(shelfOf(to)) > SHELVES.indexOf(shelfOf(from));
    });
    expect(upward).toEqual([]);
    expect([...new Set(files.map(shelfOf))].filter((shelf) => !SHELVES.includes(shelf))).toEqual(['workflows']);
  });

  it('has no import from one API area into another', () => {
    const folderOf = (file: string) => /^src\/api\/([\w-]+)\//.exec(file)?.[1];
    const allowed = (folder: string) => [folder, 'server', ...(folder === 'server' ? [] : ['records'])];
    const across = imports.filter(({ from, to }) => {
      const folder = folderOf(from);
      return folder && to.startsWith('src/api/') && !allowed(folder).includes(folderOf(to) ?? to);
    });
    expect(across).toEqual([]);
  });

  it('has no file of more than 400 lines in src', () => {
    const long = files
      .filter((file) => file.startsWith('src/') && !relative('src/foundation/db/migrations', file).startsWith('2026'))
      .filter((file) => read(file).trimEnd().split('\n').length > MOST_LINES);
    expect(long).toEqual([]);
  });
});
