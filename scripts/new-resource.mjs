// Writes the skeleton of a resource with a workflow, and registers it: npm run new-resource NAME [-- --shelf SHELF]. What it
// makes works from end to end: somebody creates it, it waits, an approval or the end of its time moves it on.
// CONTRIBUTING.md says what the files are for.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const template = join(root, 'scripts/resource-template');
const read = (file) => readFileSync(join(root, file), 'utf8');

/** The shelves that take resources, from the lowest to the highest, with what the map says of one that is made here. */
const SHELVES = {
  people: 'who somebody is',
  money: 'what moves, and what it means',
  commerce: 'what merchants sell',
  'open-banking': 'access to accounts at banks',
  edge: 'the outside world',
};

/** Words of the language, which cannot name a workflow. */
const RESERVED = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
   function if import in instanceof let new null return static super switch this throw true try typeof var void while
   with yield`.split(/\s+/),
);

function refuse(why) {
  console.error(`new-resource: ${why}`);
  process.exit(1);
}

function argumentsGiven() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { shelf: { type: 'string', default: 'commerce' }, prefix: { type: 'string' } },
    });
    return { name: positionals[0] ?? '', shelf: values.shelf, prefix: values.prefix };
  } catch (error) {
    return refuse(error.message);
  }
}

const { name, shelf, prefix: wantedPrefix } = argumentsGiven();
if (!/^(?=.{2,30}$)[a-z]+(-[a-z]+)*$/.test(name))
  refuse('the name is lower-case words with hyphens: npm run new-resource bank-transfer [-- --shelf commerce]');
if (RESERVED.has(name)) refuse(`${name} is a word of the language`);
if (!(shelf in SHELVES)) refuse(`the shelf is one of ${Object.keys(SHELVES).join(', ')}`);

const plural = /[^aeiou]y$/.test(name)
  ? name.replace(/y$/, 'ies')
  : `${name}${/(s|x|z|ch|sh)$/.test(name) ? 'es' : 's'}`;

/** A name with hyphens in every spelling, in the order of the spellings of the template. */
function spellings(hyphened) {
  const words = hyphened.split('-');
  const big = words.map((word) => word[0].toUpperCase() + word.slice(1));
  const spaced = words.join(' ');
  return [
    hyphened,
    words.join('_'),
    words[0] + big.slice(1).join(''),
    big.join(''),
    words.join('_').toUpperCase(),
    spaced,
    spaced[0].toUpperCase() + spaced.slice(1),
  ];
}

const [, snake, camel] = spellings(name);
const activities = `activities/${shelf}.ts`;
const REPLACEMENTS = [
  ...spellings('sample-things').map((spelling, n) => [spelling, spellings(plural)[n]]),
  ...spellings('sample-thing').map((spelling, n) => [spelling, spellings(name)[n]]),
  ['camelShelf', spellings(shelf)[2]],
  ['SHELF', shelf],
];

/** A text of the template as it reads for this resource. */
function filled(text) {
  const articled = /^[aeiou]/.test(name) ? text.replace(/\b([Aa]) (?=sample thing)/g, '$1n ') : text;
  return REPLACEMENTS.reduce((all, [from, to]) => all.replaceAll(from, to), articled);
}

/** Three letters that begin the ids and that no other kind has. */
function prefix() {
  const taken = new Set(
    [...read('src/domain/ids.ts').matchAll(/^ {2}\w+: '([a-z]+)',$/gm)].map(([, letters]) => letters),
  );
  if (wantedPrefix && !/^[a-z]{2,4}$/.test(wantedPrefix)) refuse('a prefix has two to four lower-case letters');
  const letters = name.split('-');
  const initials = letters.map((word) => word[0]).join('');
  const rest = letters.at(-1).slice(1);
  const candidates = wantedPrefix
    ? [wantedPrefix]
    : [`${initials}${rest.replace(/[aeiou]/g, '')}`, `${initials}${rest}`].map((long) => long.slice(0, 3));
  const free = candidates.find((candidate) => candidate.length > 1 && !taken.has(candidate));
  return free ?? refuse(`the id prefix ${candidates.join(' or ')} is taken: choose one with --prefix`);
}

/** A number after that of the last migration, and the time where that is later. */
function migrationNumber() {
  const last = readdirSync(join(root, 'src/foundation/db/migrations')).sort().at(-1).slice(0, 14);
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return now > last ? now : String(Number(last) + 100);
}

/** The skeleton's files, by path. */
function skeleton() {
  const area = `src/${shelf}/${plural}`;
  const places = {
    'area/sample-thing.ts': `${area}/${name}.ts`,
    'area/service.ts': `${area}/service.ts`,
    'area/steps.ts': `${area}/steps.ts`,
    'area/flow.ts': `${area}/flow.ts`,
    'area/present.ts': `${area}/present.ts`,
    'api/routes.ts': `src/api/${plural}/routes.ts`,
    'api/schema.ts': `src/api/${plural}/schema.ts`,
    'states.ts': `src/domain/states/${name}.ts`,
    'migration.ts': `src/foundation/db/migrations/${migrationNumber()}_create_${plural.replaceAll('-', '_')}.ts`,
    ...(existsSync(join(root, activities)) ? {} : { 'activities.ts': activities }),
    'workflow.ts': `workflows/${name}.ts`,
    'test/states.test.ts': `test/unit/domain/${name}-states.test.ts`,
    'test/integration.test.ts': `test/integration/${shelf}/${plural}/${name}.test.ts`,
    'test/e2e.test.ts': `test/e2e/${plural}.test.ts`,
  };
  return new Map(
    Object.entries(places).map(([file, path]) => [path, filled(readFileSync(join(template, `${file}.txt`), 'utf8'))]),
  );
}

/** What stands where: file, place before which the text goes, and the text, in the words of the template. */
function registrations() {
  const firstImport = /^import /m;
  return [
    ['src/domain/ids.ts', /(?<=ID_PREFIXES = \{[^}]*)^\} as const;/m, `  sampleThing: '${prefix()}',\n`],
    ['src/domain/flows.ts', firstImport, "import type { SampleThingStatus } from './states/sample-thing';\n"],
    ['src/domain/flows.ts', /(?<=WORKFLOW = \{[^}]*)^\} as const;/m, "  sampleThing: 'sampleThing',\n"],
    [
      'src/domain/flows.ts',
      /(?<=^export const workflowId = \{[\s\S]*?)^\};/m,
      `  sampleThing: (sampleThingId: string) => \`sample-thing/\${sampleThingId}\`,\n`,
    ],
    [
      'src/domain/flows.ts',
      /$(?![\s\S])/,
      `
export interface SampleThingInput {
  sampleThingId: string;
  tenantId: string;
}

export interface SampleThingView {
  status: SampleThingStatus;
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs: number;
  /** How long until its time is up, in milliseconds. */
  nextInMs?: number;
  ended: boolean;
}
`,
    ],
    ['workflows/index.ts', /^export /m, "export { sampleThing } from './sample-thing';\n"],
    [
      'workflows/labels.ts',
      /(?<=LABELS: Record<[\s\S]*?)^\};/m,
      "  lookAtSampleThing: 'Look at the sample thing, and do what is due',\n",
    ],
    ...(existsSync(join(root, activities)) ? stepAmongOthers() : firstSteps()),
    ['workers/flows.ts', firstImport, "import { SAMPLE_THING_FLOW } from '../src/SHELF/sample-things/flow';\n"],
    ['workers/flows.ts', /(?<=FLOWS: Record<[\s\S]*?)^\};/m, '  sampleThing: SAMPLE_THING_FLOW,\n'],
    ['src/api/routes.ts', firstImport, "import type { SampleThings } from '../SHELF/sample-things/service';\n"],
    ['src/api/routes.ts', firstImport, "import { sampleThingRoutes } from './sample-things/routes';\n"],
    ['src/api/routes.ts', /^ {2}readiness: /m, '  sampleThings: SampleThings;\n'],
    ['src/api/routes.ts', /^ {4}\.\.\.opsRoutes\(/m, '    ...sampleThingRoutes(deps),\n'],
    ['src/api/main.ts', firstImport, "import { SampleThings } from '../SHELF/sample-things/service';\n"],
    [
      'src/api/main.ts',
      /^ +readiness: /m,
      '        sampleThings: new SampleThings(platform, config.api.firstAnswerMs),\n',
    ],
    [
      'test/unit/workers/flows.test.ts',
      /(?<=^const EXPECTED: [\s\S]*?)^\};/m,
      `  sampleThing: {
    row: { ...ids, id: 'row_1' },
    id: 'sample-thing/row_1',
    input: { sampleThingId: 'row_1', tenantId: 'ten_1' },
    summary: 'sample thing row_1',
    attributes: { kind: 'sample_thing', tenant: 'ten_1', organization: 'org_1' },
  },
`,
    ],
    [
      'test/unit/workers/flows.test.ts',
      /(?<=looksFor\(name, 'unheard'\)\)\)\.toEqual\(\[[^\]]*)^ {2}\]\);/m,
      "    'sampleThing',\n",
    ],
    [
      'test/histories/record.ts',
      /(?<=^const BRANCHES: [\s\S]*?)^\};/m,
      `  'sample-thing-approved': async () => {
    const { body } = await actors.merchant.post('/sample-things/1.0.0/sample-things', {});
    const path = \`/sample-things/1.0.0/sample-things/\${body.sampleThingId}/approve\`;
    await actors.tenantAdmin.post(path, undefined, { organizationid: stack.credentials.organizationId });
    return workflowId.sampleThing(body.sampleThingId);
  },
  'sample-thing-expired': async () => {
    const { body } = await actors.merchant.post('/sample-things/1.0.0/sample-things', { expiresAt: soon() });
    return workflowId.sampleThing(body.sampleThingId);
  },
`,
    ],
    ...(existsSync(join(root, 'src', shelf)) ? [] : newShelf()),
    ['CONTRIBUTING.md', placeOnMap(shelf), mapLine(4, plural, 'sample things: say here what they are')],
    ['CONTRIBUTING.md', placeOnMap('  server'), mapLine(4, plural, 'sample things')],
  ];
}

/** A shelf that has flows already: one more line among its activities. */
function stepAmongOthers() {
  const firstImport = /^import /m;
  return [
    [activities, firstImport, "import type { SampleThingInput } from '../src/domain/flows';\n"],
    [activities, firstImport, "import { advanceSampleThing } from '../src/SHELF/sample-things/steps';\n"],
    [
      activities,
      /(?<=^export function \w+Activities\([\s\S]*?return \{\n)/m,
      '    lookAtSampleThing: (input: SampleThingInput) => advanceSampleThing(deps, input),\n',
    ],
  ];
}

/** A shelf without flows gets a file of activities, which has to be known to the workers. */
function firstSteps() {
  return [
    ['activities/index.ts', /^import /m, "import { camelShelfActivities } from './SHELF';\n"],
    ['activities/index.ts', /(?<=return withFailures\(\{)/, ' ...camelShelfActivities(deps),'],
  ];
}

const mapLine = (indent, folder, text) => `${' '.repeat(indent)}${`${folder}/`.padEnd(26 - indent)}${text}\n`;

/** In the map of CONTRIBUTING.md, after the first line of a shelf. */
const placeOnMap = (folder) => new RegExp(`(?<=^  ${folder}/ [^\\n]*\\n)`, 'm');

/** The next shelf below a new one, of those that are there. */
function shelfBelow() {
  const all = Object.keys(SHELVES);
  return all.slice(0, all.indexOf(shelf)).findLast((lower) => existsSync(join(root, 'src', lower)));
}

/** A shelf's place in the map, and in the order that a test holds. Lint is told by `lintWithNewShelf`. */
function newShelf() {
  const shelves = /(?<=const SHELVES = \[[^\]]*)/;
  return [
    ['CONTRIBUTING.md', /^ {2}edge\/ /m, mapLine(2, shelf, SHELVES[shelf])],
    ['CONTRIBUTING.md', new RegExp(`(?<=^\`domain\` <.*\`${shelfBelow()}\`) <`, 'm'), ` < \`${shelf}\``],
    ['test/unit/house/direction.test.ts', new RegExp(`${shelves.source}(?<='${shelfBelow()}'),`), `, '${shelf}'`],
  ];
}

/** biome.json with the new shelf: it imports what stands below it, and what stands below does not import it. */
function lintWithNewShelf() {
  const settings = JSON.parse(read('biome.json'));
  const optionsOf = ({ linter }) => linter.rules.style?.noRestrictedImports?.options.patterns[0];
  const of = (folder) => settings.overrides.findIndex(({ includes }) => includes[0] === `${folder}/**`);
  const order = ['domain', 'foundation', ...Object.keys(SHELVES)];
  const below = shelfBelow();
  for (const lower of order.slice(0, order.indexOf(shelf)))
    if (of(`src/${lower}`) >= 0) {
      const { group } = optionsOf(settings.overrides[of(`src/${lower}`)]);
      group.splice(group.indexOf('**/edge/**'), 0, `**/${shelf}/**`);
    }
  const workflows = optionsOf(settings.overrides[of('workflows')]).group;
  workflows.splice(workflows.indexOf('**/src/edge/**'), 0, `**/src/${shelf}/**`);
  const copy = structuredClone(settings.overrides[of(`src/${below}`)]);
  copy.includes = [`src/${shelf}/**`];
  const pattern = optionsOf(copy);
  pattern.group = pattern.group.filter((each) => each !== `**/${shelf}/**`);
  pattern.message = `src/${shelf} imports nothing above it. See CONTRIBUTING.md.`;
  settings.overrides.splice(of(`src/${below}`) + 1, 0, copy);
  return JSON.stringify(settings, null, 2);
}

/** The files with every registration made, by path. Nothing is written unless all of them can be. */
function registered() {
  const texts = new Map();
  if (!existsSync(join(root, 'src', shelf))) texts.set('biome.json', lintWithNewShelf());
  for (const [file, before, line] of registrations()) {
    const text = texts.get(file) ?? read(file);
    const place = text.search(before);
    if (place < 0) refuse(`${file} has no place for ${filled(line).trim()}`);
    texts.set(file, text.slice(0, place) + filled(line) + text.slice(place));
  }
  return texts;
}

/** Refuses what is there already under another roof: an id kind, a workflow, a table. */
function requireFree() {
  const migrations = readdirSync(join(root, 'src/foundation/db/migrations'));
  const table = `CREATE TABLE ${plural.replaceAll('-', '_')} (`;
  if (new RegExp(`^ {2}${camel}: `, 'm').test(read('src/domain/ids.ts')))
    refuse(`the id kind ${camel} is there already`);
  if (new RegExp(`^ {2}${camel}: `, 'm').test(read('src/domain/flows.ts')))
    refuse(`the workflow ${camel} is there already`);
  if (migrations.some((file) => read(`src/foundation/db/migrations/${file}`).includes(table)))
    refuse(`the table ${snake} is there already`);
  if (existsSync(join(root, 'src/api', plural))) refuse(`src/api/${plural} is there already`);
}

requireFree();
const made = skeleton();
for (const path of made.keys()) if (existsSync(join(root, path))) refuse(`${path} is there already`);
const changed = registered();
for (const [path, text] of [...made, ...changed]) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
// Sorts the imports and breaks the lines.
const formatted = [...made.keys(), ...changed.keys()].filter((path) => !path.endsWith('.md'));
execFileSync(
  process.execPath,
  [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--write', '--linter-enabled=false', ...formatted],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);
console.log(`Resource ${name}:`);
for (const path of made.keys()) console.log(`  ${path}`);
console.log('registered in:');
for (const path of changed.keys()) console.log(`  ${path}`);
console.log(`Next:
  npx tsc
  npm run openapi
  npm test -- ${name}-states.test.ts ${plural}/${name}.test.ts e2e/${plural}.test.ts
  HISTORIES=${name}- npm run histories   # records its branches: every workflow has a history
  then make it yours: columns, states, texts (and a line about it in docs/)`);
