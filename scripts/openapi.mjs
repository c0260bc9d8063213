// Writes docs/openapi.json from the route table; with --check fails when the committed document is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { apiRoutes } = require(join(root, 'dist/src/api/routes.js'));
const { withReference } = require(join(root, 'dist/src/api/reference/reference.js'));
const file = join(root, 'docs/openapi.json');
const text = `${JSON.stringify(withReference(apiRoutes({})).document, null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
  console.log(`docs/openapi.json written, ${Object.keys(JSON.parse(text).paths).length} paths`);
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('docs/openapi.json is stale: run npm run openapi');
  process.exitCode = 1;
}
