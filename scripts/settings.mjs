// Writes the tables of docs/settings.md from the settings' own table; with --check fails when the committed page is stale.
// Each table stands between `<!-- settings: SECTION -->` and `<!-- end of SECTION -->`; the text around them is kept.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { describeSettings } = require(join(root, 'dist/src/foundation/config/config.js'));
const file = join(root, 'docs/settings.md');

function tableOf(settings) {
  const rows = settings.map(({ name, form, default: fallback, meaning, formerly }) => [
    `\`${name}\``,
    form,
    fallback,
    formerly ? `${meaning}. Old name: \`${formerly}\`` : meaning,
  ]);
  const lines = [['Setting', 'Form', 'Default', 'Meaning'], ...rows];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  lines.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return lines.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`).join('\n');
}

function replaceTable(text, section, table) {
  const [start, end] = [`<!-- settings: ${section} -->`, `<!-- end of ${section} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/settings.md has no place for its table: ${start} … ${end}`);
  return `${text.slice(0, from)}${start}\n\n${table}\n\n${text.slice(to)}`;
}

const settings = describeSettings();
const sections = [...new Set(settings.map(({ section }) => section))];
const before = readFileSync(file, 'utf8');
const after = sections.reduce(
  (text, section) => replaceTable(text, section, tableOf(settings.filter((setting) => setting.section === section))),
  before,
);

if (!process.argv.includes('--check')) {
  writeFileSync(file, after);
  console.log(`docs/settings.md written, ${settings.length} settings`);
} else if (after !== before) {
  console.error('docs/settings.md is stale: run npm run settings');
  process.exitCode = 1;
}
