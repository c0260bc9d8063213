import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** One step: what was saved (by kind) and what was removed, all of it or nothing. */
export interface JournalStep {
  save?: [kind: string, entity: unknown][];
  remove?: [kind: string, id: string][];
}

/**
 * Steps as lines of JSON, appended with one write each before anybody hears of them. Not synced to disk: it survives
 * the death of the process, which is what a sandbox has to survive.
 */
export class Journal {
  private readonly descriptor: number;

  private constructor(path: string) {
    this.descriptor = openSync(path, 'a', 0o600);
  }

  /**
   * Opens a journal: hands every step ever written to `replay`, oldest first, then replaces the file by what `snapshot`
   * gives, so that it does not grow from start to start. A last line cut short by a crash is left out.
   */
  static open(path: string, replay: (step: JournalStep) => void, snapshot: () => Iterable<JournalStep>): Journal {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (existsSync(path)) {
      const complete = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      for (const line of complete) replay(JSON.parse(line, decode));
    }
    const fresh = `${path}.new`;
    const descriptor = openSync(fresh, 'w', 0o600);
    for (const step of snapshot()) writeSync(descriptor, lineOf(step));
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(fresh, path);
    return new Journal(path);
  }

  append(step: JournalStep): void {
    writeSync(this.descriptor, lineOf(step));
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

function lineOf(step: JournalStep): string {
  return `${JSON.stringify(step, encode)}\n`;
}

/** JSON has no integers beyond 2^53: minor units travel as `{"$minor": "…"}`. */
function encode(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { $minor: value.toString() } : value;
}

function decode(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$minor' in value)) return value;
  return BigInt(value.$minor as string);
}
