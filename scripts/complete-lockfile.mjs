// Adds to package-lock.json the platform-specific optional packages that npm left out because the registry it was
// written from mirrors this platform only. Without them `npm ci` refuses the file, here and everywhere else.
// Each gets its integrity from the registry. It fails where the registry has none: then pin a version that it has for every
// platform. Run after `npm install` of a new dependency.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What the name of such a package says about where it may be installed. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : [];
  return { ...(cpu.length && { cpu }), ...(os.length && { os }), ...(os[0] === 'linux' && libc.length && { libc }) };
}

/** Whether a package at `path` finds `name` in its own or an outer node_modules. */
function isLocked(path, name) {
  const folders = path.split('/node_modules/');
  const places = folders.map((_, depth) => [...folders.slice(0, depth + 1), name].join('/node_modules/'));
  return [`node_modules/${name}`, ...places].some((place) => lock.packages[place]);
}

/** The checksum that the registry states for a version. Throws where it has not that version. */
function integrityOf(name, version) {
  const answer = execFileSync('npm', ['view', '--json', `${name}@${version}`, 'dist.integrity'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const integrity = answer && JSON.parse(answer);
  if (typeof integrity !== 'string') throw new Error(`the registry has no integrity of ${name} ${version}`);
  return integrity;
}

const added = {};
for (const [path, entry] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = platformOf(name);
    if (!path || isLocked(path, name) || !/^\d/.test(version) || !platform.os) continue;
    added[`node_modules/${name}`] = {
      version,
      integrity: integrityOf(name, version),
      ...platform,
      ...(entry.dev && { dev: true }),
      license: entry.license,
      optional: true,
    };
  }

const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
console.log(`${Object.keys(added).length} packages of other platforms added`);
