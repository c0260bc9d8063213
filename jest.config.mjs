import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
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

const toCompile = esModulePackages();

/** A tier of tests: the folder of that name, and what runs before and after it. */
export function tier(name, options = {}) {
  return {
    displayName: name,
    rootDir: root,
    roots: ['src', 'workflows', 'activities', 'workers', 'bench', 'test'].map((folder) => `<rootDir>/${folder}`),
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
    testEnvironment: 'node',
    moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
    // NodeNext sources import each other as `.js`.
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest'] },
    transformIgnorePatterns: [`/node_modules/(?!.*/node_modules/)(?!(${toCompile.join('|')})/)`, '<rootDir>/dist/'],
    ...options,
  };
}

/** What a tier needs is started when a test of it is run, and only then. */
export const needs = (what) => ({
  globalSetup: `<rootDir>/test/setup/tiers/${what}.mjs`,
  globalTeardown: '<rootDir>/test/setup/tiers/teardown.mjs',
});

/** What begins with a payment or a top-up: it holds too where only those that wait have a flow. */
const PAYMENT_SUITES = [
  'attempt-limits',
  'authentication-policy',
  'callbacks',
  'challenge',
  'customer-payments',
  'disputes',
  'flow-details',
  'high-risk',
  'interventions',
  'kinds',
  'notifications',
  'operations',
  'pay-page',
  'payment-links',
  'payments',
  'refunds',
  'saved-cards',
  'topup-links',
  'topups',
];

/** Those of them where callbacks take a step. */
const CALLBACK_SUITES = [
  'callbacks',
  'challenge',
  'high-risk',
  'interventions',
  'kinds',
  'payment-links',
  'payments',
  'saved-cards',
  'topups',
];

const suites = (names) => names.map((name) => `<rootDir>/test/e2e/${name}.test.ts`);

export default {
  rootDir: root,
  projects: [
    tier('unit'),
    tier('integration', needs('postgres')),
    tier('e2e', needs('platform')),
    tier('waiting', {
      ...needs('waiting-platform'),
      testMatch: suites(PAYMENT_SUITES),
      globals: { STACK_HOME: 'TEST_WAITING_STACK_HOME' },
    }),
    tier('due', {
      ...needs('due-platform'),
      testMatch: suites(CALLBACK_SUITES),
      globals: { STACK_HOME: 'TEST_DUE_STACK_HOME' },
    }),
    tier('faults', needs('program')),
    tier('interop', needs('program')),
    tier('histories', needs('build')),
    tier('model', {
      ...needs('postgres'),
      // The flows' own code runs, on an engine of the model.
      moduleNameMapper: {
        ...tier('model').moduleNameMapper,
        '^@temporalio/workflow$': '<rootDir>/test/model/engine/workflow.ts',
      },
    }),
  ],
  testSequencer: '<rootDir>/test/setup/sequencer.mjs',
  // Most tests wait for a platform most of the time: with a worker for each core the cores are idle for a third of the run.
  maxWorkers: availableParallelism() + 1,
  // For what never ends. A slow machine is no failure.
  testTimeout: 240_000,
};
