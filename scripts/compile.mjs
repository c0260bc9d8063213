// Compiles the sources to dist/ with swc and bundles the workflows ahead of time. Only what has changed since the last
// build is compiled, and nothing is written unless all of it compiles: dist/ always holds one whole program.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
/** What is compiled, from the root of the project. */
export const folders = ['src', 'workflows', 'activities', 'workers', 'bench', 'test/setup'];
/** Runs in browsers; scripts/console.mjs builds it. */
const browserOnly = 'src/web/console/';
/** Pages that the API serves: the image has no docs/. */
const served = ['docs/codes.md'];
const toolchain = ['scripts/compile.mjs', '.swcrc', 'package-lock.json'];
const workflowIndex = 'workflows/index.ts';
const converters = ['payload-converter', 'failure-converter'].map((name) => `src/foundation/temporal/${name}.ts`);
const manifestFile = join(out, '.sources.json');
const bundleStamp = join(out, '.workflows');

/** The sources do not compile; `problems` says where, one text for each. */
export class BuildError extends Error {
  constructor(problems) {
    super(problems.join('\n\n'));
    this.problems = problems;
  }
}

/**
 * Brings dist/ up to date. Answers the digest of each source by its path. Throws BuildError, with dist/ as it was, when
 * something does not compile.
 */
export async function build() {
  mkdirSync(out, { recursive: true });
  const texts = read([...folders.flatMap(filesUnder), ...served]);
  const sources = digestsOf(texts);
  const tools = [...digestsOf(read(toolchain)).values()].join();
  const earlier = readManifest();
  const isFresh = earlier?.tools !== tools;
  const known = new Map(isFresh ? [] : Object.entries(earlier.sources));
  const changed = [...sources.keys()].filter((file) => known.get(file) !== sources.get(file));
  const removed = [...known.keys()].filter((file) => !sources.has(file));
  const outputs = await compile(changed, texts);
  // A file that is gone may be missed by one that has not changed.
  refuseMissingImports(removed.length > 0 ? [...sources.keys()] : changed, texts);
  const bundle = await bundleIfStale(sources, tools);

  // From here on dist/ is in between: without a manifest the next build starts afresh.
  if (isFresh || changed.length + removed.length > 0) rmSync(manifestFile, { force: true });
  if (isFresh) for (const folder of folders) rmSync(join(out, folder), { recursive: true, force: true });
  for (const file of removed) for (const target of targetsOf(file)) rmSync(join(out, target), { force: true });
  for (const [target, content] of outputs) {
    mkdirSync(dirname(join(out, target)), { recursive: true });
    writeFileSync(join(out, target), content);
  }
  if (bundle) {
    writeFileSync(join(out, 'workflow-bundle.js'), bundle.code);
    writeFileSync(bundleStamp, bundle.digest);
  }
  if (isFresh || changed.length + removed.length > 0)
    writeFileSync(manifestFile, JSON.stringify({ tools, sources: Object.fromEntries(sources) }));
  return sources;
}

function filesUnder(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isLeftByAnEditor(entry.name))
    .map((entry) => posix.join(folder, (entry.parentPath ?? entry.path).slice(path.length), entry.name))
    .filter((file) => !file.startsWith(browserOnly));
}

/** Swap files, backups and locks that editors keep beside a file for a moment. */
function isLeftByAnEditor(name) {
  return /^\.|~$|^#|\.(swp|swx|tmp)$|^4913$/.test(name);
}

/** Content by path, each file read once: what is compiled is what the digest is of. */
function read(files) {
  const texts = new Map();
  for (const file of [...files].sort()) {
    const content = contentOf(file);
    // Saved by renaming: gone at this very moment, back at the next look.
    if (content) texts.set(file, content);
  }
  return texts;
}

function contentOf(file) {
  try {
    const content = readFileSync(join(root, file));
    if (content.length > 0) return content;
    // No source is empty: somebody is just writing it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return readFileSync(join(root, file));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function digestsOf(texts) {
  const digestOf = (content) => createHash('sha256').update(content).digest('base64');
  return new Map([...texts].map(([file, content]) => [file, digestOf(content)]));
}

function readManifest() {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What a source becomes in dist/. */
function targetsOf(file) {
  if (!file.endsWith('.ts')) return [file];
  const js = file.replace(/\.ts$/, '.js');
  return [js, `${js}.map`];
}

/** Content by path in dist/. */
async function compile(files, texts) {
  const outputs = new Map();
  const problems = [];
  // Loaded here: a build with nothing to do needs no compiler.
  const { transformSync } = files.length > 0 ? await import('@swc/core') : {};
  for (const file of files) {
    const [target, mapTarget] = targetsOf(file);
    if (!mapTarget) {
      outputs.set(target, texts.get(file));
      continue;
    }
    try {
      const { code, map } = transformSync(texts.get(file).toString(), {
        configFile: join(root, '.swcrc'),
        cwd: root,
        filename: join(root, file),
      });
      outputs.set(target, `${code}\n//# sourceMappingURL=${posix.basename(mapTarget)}\n`);
      if (map) outputs.set(mapTarget, map);
    } catch (error) {
      problems.push(readable(file, error.message));
    }
  }
  if (problems.length > 0) throw new BuildError(problems);
  return outputs;
}

/** The compiler's own picture of the place, under the path of the file, without colours and its own stack. */
function readable(file, message) {
  const [picture] = plain(message).split(/^(?:Caused by|\s*Syntax Error|Stack backtrace)/m);
  return `${file}\n${picture.trimEnd()}`;
}

/** What the bundler says of its errors, without its list of all it has bundled and of where it has looked. */
function errorsOf(said) {
  const lines = plain(said).split('\n');
  const errors = lines.flatMap((line, at) => (line.startsWith('ERROR in ') ? [line, lines[at + 1] ?? ''] : []));
  return (errors.length > 0 ? errors : lines.slice(-3)).join('\n');
}

/** Without colours, and with paths as seen from the root. */
function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin
  return text.replace(/\u001b\[[0-9;]*m/g, '').replaceAll(`${root}/`, '');
}

/** The compiler takes each file for itself; an import that leads nowhere would only show when the program starts. */
function refuseMissingImports(files, texts) {
  const problems = [];
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = texts.get(file).toString();
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;'"]*?from '(\.{1,2}\/[^']+)'/gm)) {
      const path = posix.join(posix.dirname(file), specifier);
      const stem = path.replace(/\.js$/, '');
      if (![path, `${stem}.ts`, `${stem}.js`, `${stem}/index.ts`, `${stem}/index.js`].some((name) => texts.has(name)))
        problems.push(`${file}\nimports ${specifier}, and there is no such file`);
    }
  }
  if (problems.length > 0) throw new BuildError(problems);
}

/** The workflows in one file, when something of which they are made has changed. */
async function bundleIfStale(sources, tools) {
  if (!sources.has(workflowIndex)) return undefined;
  const parts = [...sources].filter(([file]) => /^(workflows|src\/domain)\//.test(file) || converters.includes(file));
  const digest = createHash('sha256')
    .update(JSON.stringify([tools, parts]))
    .digest('hex');
  if (existsSync(bundleStamp) && readFileSync(bundleStamp, 'utf8') === digest) return undefined;
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const said = [];
  const collect = (message) => void said.push(message);
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: collect };
  try {
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(root, workflowIndex),
      // What the codec has refused stays out of every flow.
      workflowInterceptorModules: [join(root, 'workflows/refusals.ts')],
      payloadConverterPath: join(root, converters[0]),
      failureConverterPath: join(root, converters[1]),
      logger: quiet,
    });
    return { code, digest };
  } catch (error) {
    throw new BuildError([`the workflows cannot be bundled:\n${errorsOf([...said, error.message].join('\n'))}`]);
  }
}
