import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../setup/project.js';

const STAND_INS = {
  api: 'dist/src/api/main.js',
  worker: 'dist/workers/main.js',
  simulator: 'dist/src/sandbox/simulator/main.js',
  setup: 'dist/src/sandbox/runtime/setup.js',
};

/**
 * The real supervisor, with the real Postgres and engine under it, and stand-ins for the four parts it only starts:
 * so that its own behaviour is tested alone, and in seconds.
 */
export function buildProgram(): { folder: string; main: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-program-'));
  cpSync(join(projectRoot, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  for (const [name, target] of Object.entries(STAND_INS))
    cpSync(join(__dirname, 'stand-ins', `${name}.js`), join(folder, target));
  const { start } = (
    JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: { start: string } }
  ).scripts;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    main: join(folder, 'dist/src/sandbox/runtime/main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
