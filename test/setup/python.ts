import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The oldest that the libraries run on, and all that it takes to install them. */
const CAN_INSTALL = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
const PATIENCE_MS = 300_000;

export interface Python {
  /** An interpreter that has the packages. */
  program: string;
  remove(): void;
}

/**
 * An interpreter of its own with these packages, in a temporary folder. Answers in words why there is none: Python or the
 * registry of packages cannot be had everywhere. `requirements`: a file of pip with exact versions.
 */
export function pythonWith(requirements: string): Python | string {
  const run = (program: string, args: string[]) =>
    spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS });
  if (run('python3', ['-c', CAN_INSTALL]).status !== 0)
    return 'Python 3.10 with venv is not installed (apt-get install python3-venv)';
  const folder = mkdtempSync(join(tmpdir(), 'tillway-python-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const program = join(folder, 'bin/python');
  const made = run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
  const installed = made.status === 0 ? run(program, [...pip, '-r', requirements]) : made;
  if (installed.status === 0) return { program, remove };
  remove();
  return `the packages of Python cannot be installed: ${installed.stderr.trim().split('\n').at(-1)}`;
}
