import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './project.js';

const COPIED = [
  ...['src', 'workflows', 'activities', 'workers', 'bench', 'test', 'scripts', 'docs', 'CONTRIBUTING.md'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'jest.config.mjs', '.gitignore', '.swcrc'],
];

/** A copy of the checkout: what a generator writes there is in nobody's way. */
export class TreeCopy {
  private readonly root: string;

  /** `name` is part of its folder's name. */
  constructor(name: string) {
    this.root = mkdtempSync(join(tmpdir(), `tillway-${name}-`));
    for (const each of COPIED) cpSync(join(projectRoot, each), join(this.root, each), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'));
  }

  /** Runs a program of Node in the copy, as a new shell would. */
  run(...command: string[]): { status: number | null; output: string } {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(TEST_|JEST_|NODE_OPTIONS$|NODE_ENV$)/.test(name)),
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: this.root,
      encoding: 'utf8',
      env: { ...env, ...this.engine() },
    });
    return { status, output: stdout + stderr };
  }

  /** What the type checker says. */
  typecheck = () => this.run('node_modules/typescript/bin/tsc');

  lint = (...paths: string[]) => this.run('node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', ...paths);

  test = (...options: string[]) => this.run('node_modules/jest/bin/jest.js', ...options);

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Replaces a text that must be there once. Throws otherwise. */
  replace(path: string, from: string, to: string): void {
    const parts = this.read(path).split(from);
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times: ${from}`);
    writeFileSync(join(this.root, path), parts.join(to));
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** The engine that this run has found: the copy need not look for it. */
  private engine(): Record<string, string> {
    const binary = process.env.TEST_TEMPORAL_BINARY;
    return binary ? { TILLWAY_TEMPORAL_BINARY: binary } : {};
  }
}
