// `npm run typecheck:console` first writes the types of the API from its document: the console then compiles only where
// it asks for what the API has.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { root } from './compile.mjs';

const source = join(root, 'docs/openapi.json');
const target = join(root, 'node_modules/.cache/openapi.d.ts');

if (!existsSync(target) || statSync(target).mtimeMs <= statSync(source).mtimeMs) {
  mkdirSync(join(target, '..'), { recursive: true });
  writeFileSync(target, astToString(await openapiTypes(JSON.parse(readFileSync(source, 'utf8')))));
}
