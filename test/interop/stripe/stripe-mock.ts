import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { environment, loadConfig } from '../../../src/foundation/config/config';
import { freePorts } from '../../setup/ports';

/** Stripe's own stand-in: it holds every request against Stripe's OpenAPI document, and knows no state. */
const MODULE = 'github.com/stripe/stripe-mock@v0.203.0';
const INSTALL_WITHIN_MS = 180_000;

export interface StripeMock {
  url: string;
  stop(): void;
}

/** Runs stripe-mock from our cache, built there with Go where it is missing. Undefined where it cannot be had. */
export async function startStripeMock(): Promise<StripeMock | undefined> {
  const folder = join(loadConfig().cache, 'bin');
  const program = join(folder, 'stripe-mock');
  if (!existsSync(program) && !build(folder)) return undefined;
  for (let tries = 0; tries < 3; tries += 1) {
    const [port] = (await freePorts(1)) as [number];
    const child = spawn(program, ['-http-port', `${port}`], { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    if (await answers(url, child)) return { url, stop: () => child.kill() };
    // Somebody else was faster on that port.
    child.kill();
  }
  return undefined;
}

function build(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const env = { ...environment(), GOBIN: folder };
  return spawnSync('go', ['install', MODULE], { env, timeout: INSTALL_WITHIN_MS, stdio: 'ignore' }).status === 0;
}

/** Whether it is stripe-mock that answers there, and not a server of another test. */
async function answers(url: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response) return response.headers.has('stripe-mock-version');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
