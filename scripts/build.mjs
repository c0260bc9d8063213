// Compiles src, workflows, activities and workers to dist/ with swc and bundles the workflows ahead of time.
// Does nothing when no source is newer than the last build, so that `npm start` stays quick.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
const folders = ['src', 'workflows', 'activities', 'workers', 'bench', 'test/setup'];
const bundled = ['workflows', 'src/domain'];

function filesUnder(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(join(root, name)).isFile());
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function writeIfStale(stampName, digest, build) {
  const stamp = join(out, stampName);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return Promise.resolve();
  rmSync(stamp, { force: true });
  return Promise.resolve(build()).then(() => writeFileSync(stamp, digest));
}

function compile(files) {
  for (const folder of folders) rmSync(join(out, folder), { recursive: true, force: true });
  for (const file of files) {
    const target = join(out, file);
    mkdirSync(dirname(target), { recursive: true });
    if (extname(file) !== '.ts') {
      copyFileSync(join(root, file), target);
      continue;
    }
    const js = target.replace(/\.ts$/, '.js');
    const { code, map } = transformFileSync(join(root, file), {
      configFile: join(root, '.swcrc'),
      cwd: root,
      filename: join(root, file),
    });
    writeFileSync(js, `${code}\n//# sourceMappingURL=${js.slice(dirname(js).length + 1)}.map\n`);
    if (map) writeFileSync(`${js}.map`, map);
  }
}

async function bundle() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    workflowInterceptorModules: [],
    payloadConverterPath: join(root, 'src/foundation/temporal/payload-converter.ts'),
    failureConverterPath: join(root, 'src/foundation/temporal/failure-converter.ts'),
    logger: quiet,
  });
  writeFileSync(join(out, 'workflow-bundle.js'), code);
}

/** Pages that the API serves: the image has no docs/. */
const served = ['docs/codes.md'];

mkdirSync(out, { recursive: true });
const sources = [...folders.flatMap(filesUnder), ...served];
const toolchain = ['scripts/build.mjs', '.swcrc', 'package-lock.json'];
await writeIfStale('.sources', digestOf([...sources, ...toolchain]), () => compile(sources));
const workflowSources = [
  ...bundled.flatMap(filesUnder),
  'src/foundation/temporal/payload-converter.ts',
  'src/foundation/temporal/failure-converter.ts',
];
if (existsSync(join(root, 'workflows/index.ts')))
  await writeIfStale('.workflows', digestOf([...workflowSources, ...toolchain]), bundle);
