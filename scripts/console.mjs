// Builds the console into dist/console when its sources have changed. `npm ci` runs it (`prepare`), so that the first
// start need not; other scripts import `buildConsole`.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process, { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, 'src/web/console');
const out = join(root, 'dist/console');
const stamp = join(out, '.sources');
const toolchain = ['package-lock.json', 'scripts/console.mjs'];
/** Only text grows smaller. */
const PACKED = /\.(js|css|svg|html)$/;

/** Brings dist/console up to date, where there is something to build it with. */
export async function buildConsole() {
  if (!canBuild()) return;
  const digest = digestOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  // A run of tests builds it too, and says that this is a test: React would then bring its slow checks along.
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(sources, 'vite.config.mts') });
  } finally {
    // What is started from here may be a sandbox.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await Promise.all(
    filesUnder(out)
      .filter((file) => PACKED.test(file))
      .map(pack),
  );
  writeFileSync(stamp, digest);
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const file of [...filesUnder(sources), ...toolchain.map((name) => join(root, name))].sort())
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Browsers get it packed; packing is done once. The page itself is different each time. */
async function pack(file) {
  if (file.endsWith('index.html')) return;
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/** Without the packages of development, or without the sources, there is nothing to build with. */
function canBuild() {
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return existsSync(sources);
  } catch {
    return false;
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
