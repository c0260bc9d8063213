// Writes the skeleton of a connector, its side of the simulator and its entry in the contract suite, and registers
// them: npm run new-connector NAME. What it makes is a small card processor of its own wire that passes the suite;
// docs/connectors.md tells how it becomes a real one.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const template = join(root, 'scripts/connector-template');
const name = process.argv[2] ?? '';
const Name = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** Paths of the simulator that are no processor's, and connectors outside the pattern. */
const TAKEN = ['sim', 'health', 'stripe'];

/** What stands where: file, text before which (or, with `after`, behind which) the line goes, and the line. */
const REGISTRATIONS = [
  {
    file: 'src/domain/connector.ts',
    before: /(?<=SIMULATED_PROCESSORS = \[[^\]]*)\] as const/,
    line: `, '${name}'`,
  },
  {
    file: 'src/edge/processors/registry.ts',
    before: /^import /m,
    line: `import { createConnector${Name} } from './${name}';\n`,
  },
  {
    file: 'src/edge/processors/registry.ts',
    before: /(?<=FACTORIES:[^}]*)\};/,
    line: `  ${name}: createConnector${Name},\n`,
  },
  {
    file: 'src/sandbox/simulator/app.ts',
    before: /^import /m,
    line: `import { processor${Name} } from './processors/${name}';\n`,
  },
  {
    file: 'src/sandbox/simulator/app.ts',
    before: /(?<=const PERSONALITIES: readonly Personality\[\] = \[[^\]]*?),?\s*\]/,
    line: `, processor${Name}`,
  },
  {
    file: 'src/api/server/outside-operations.ts',
    before: /^ {2}\{\n {4}name: '3ds',/m,
    line: `  { name: 'processor_${name}', method: 'post', summary: 'Processor ${Name}', contentType: 'application/json' },\n`,
  },
  {
    file: 'src/sandbox/seed/processor-fee-terms.ts',
    before: /(?<=BASIS_POINTS: [^;]*)\};/,
    line: `  ${name}: 200,\n`,
  },
];

function refuse(why) {
  console.error(`new-connector: ${why}`);
  process.exit(1);
}

/** The files with every registration made, by path. Nothing is written unless all of them can be. */
function registered() {
  const texts = new Map();
  for (const { file, before, line } of REGISTRATIONS) {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const place = text.search(before);
    if (place < 0) refuse(`${file} has no place for ${line.trim()}`);
    texts.set(file, text.slice(0, place) + line + text.slice(place));
  }
  return texts;
}

/** The skeleton's files, by path. */
function skeleton() {
  const target = {
    processor: (file) => `src/edge/processors/${name}/${file}`,
    simulator: (file) => `src/sandbox/simulator/processors/${name}/${file}`,
    test: () => `test/unit/edge/processors/${name}.test.ts`,
  };
  const texts = new Map();
  for (const [folder, pathOf] of Object.entries(target))
    for (const file of readdirSync(join(template, folder))) {
      const text = readFileSync(join(template, folder, file), 'utf8');
      texts.set(pathOf(file.replace(/\.txt$/, '')), text.replaceAll('Example', Name).replaceAll('example', name));
    }
  return texts;
}

if (!/^[a-z]{2,20}$/.test(name)) refuse('the name is two to twenty lower-case letters: npm run new-connector NAME');
if (TAKEN.includes(name)) refuse(`${name} is taken`);
const made = skeleton();
for (const path of made.keys()) if (existsSync(join(root, path))) refuse(`${path} is there already`);
const changed = registered();
for (const [path, text] of [...made, ...changed]) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
// Sorts the imports and breaks the lines.
execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/@biomejs/biome/bin/biome'),
    'check',
    '--write',
    '--linter-enabled=false',
    ...made.keys(),
    ...changed.keys(),
  ],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);
console.log(`Connector ${name}:`);
for (const path of made.keys()) console.log(`  ${path}`);
console.log('registered in:');
for (const path of changed.keys()) console.log(`  ${path}`);
console.log(`Next: npm run openapi, npm test -- test/unit/edge/processors/${name}.test.ts, and docs/connectors.md`);
