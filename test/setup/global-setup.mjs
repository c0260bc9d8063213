import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A module of this folder, as the build has compiled it. */
const load = (name) => createRequire(import.meta.url)(`../../dist/test/setup/${name}.js`);

/** Whether an end-to-end test is in this run: E2E=1 or 0 decides, else what jest was asked for. */
function wantsStack(root, { testPathPatterns }) {
  if (process.env.E2E) return process.env.E2E === '1';
  const folder = join(root, 'test/e2e');
  if (!existsSync(folder)) return false;
  const tests = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  const patterns = testPathPatterns.patterns.map((pattern) => new RegExp(pattern));
  const asked = (path) => patterns.length === 0 || patterns.some((pattern) => pattern.test(path));
  return tests.some((name) => asked(join(folder, name)));
}

export default async function setUp(globalConfig, { rootDir }) {
  const build = spawnSync(process.execPath, [join(rootDir, 'scripts/build.mjs')], { cwd: rootDir, stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the build failed');
  const { startServices } = load('services');
  const services = await startServices(globalConfig.maxWorkers);
  const endings = [services.stop];
  globalThis.stopTestServices = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => globalThis.stopTestServices().finally(() => process.exit(130)));
  Object.assign(process.env, services.env);
  if (!wantsStack(rootDir, globalConfig)) return;
  try {
    const { startStack } = load('stack');
    const stack = await startStack();
    endings.push(stack.remove);
    process.env.TEST_STACK_HOME = stack.home;
  } catch (error) {
    await globalThis.stopTestServices();
    throw error;
  }
}
