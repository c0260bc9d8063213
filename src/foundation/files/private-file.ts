import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file nobody else may read, unless `mode` says otherwise; whole or not at all. */
export function writePrivateFile(path: string, text: string, mode = 0o600): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
}
