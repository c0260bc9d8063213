import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Packages that ship ES modules only: `require`d by our CommonJS output, they need compiling under jest. */
function esModulePackages(modules = join(root, 'node_modules')) {
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  const own = names.filter((name) => {
    const manifest = join(modules, name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
  });
  const inner = names.map((name) => join(modules, name, 'node_modules')).filter((folder) => existsSync(folder));
  return [...new Set([...own, ...inner.flatMap((folder) => esModulePackages(folder))])];
}

export default {
  rootDir: root,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  // NodeNext sources import each other as `.js`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest'] },
  transformIgnorePatterns: [
    `/node_modules/(?!.*/node_modules/)(?!(${esModulePackages().join('|')})/)`,
    '<rootDir>/dist/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/\\.tillway/'],
  globalSetup: '<rootDir>/test/setup/global-setup.mjs',
  globalTeardown: '<rootDir>/test/setup/global-teardown.mjs',
  maxWorkers: 2,
  testTimeout: 60_000,
};
