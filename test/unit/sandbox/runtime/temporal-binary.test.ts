import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findTemporal, type Source } from '../../../../src/sandbox/runtime/temporal-binary.js';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillway-binary-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says it is Temporal, or says something else. */
function program(path: string, says = 'temporal version 1.5.1'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const source = (name: string, says?: string): Source => ({
  name,
  limitMs: 5_000,
  async obtain(place) {
    if (says === undefined) throw new Error(`${name} is refused here`);
    return program(join(place, 'temporal'), says);
  },
});

const find = (given: { binary?: string; path?: string[]; sources?: Source[]; signal?: AbortSignal } = {}) =>
  findTemporal(
    {
      binary: given.binary,
      cache: join(folder, 'cache'),
      env: { PATH: [...(given.path ?? []), '/usr/bin', '/bin'].join(delimiter) },
      say: (line) => said.push(line),
      signal: given.signal,
    },
    given.sources ?? [],
  );

test('TILLWAY_TEMPORAL_BINARY comes before PATH, PATH before the cache', async () => {
  const named = program(join(folder, 'named/temporal'));
  const onPath = program(join(folder, 'path/temporal'));
  const cached = program(join(folder, 'cache/bin/temporal'));
  const path = [dirname(onPath)];
  expect(await find({ binary: named, path })).toBe(named);
  expect(await find({ path })).toBe(onPath);
  expect(await find()).toBe(cached);
  expect(said).toEqual([
    `Temporal server: ${named} (TILLWAY_TEMPORAL_BINARY)`,
    `Temporal server: ${onPath} (on PATH)`,
    `Temporal server: ${cached} (cached by an earlier start)`,
  ]);
});

test('something else called temporal on PATH is passed over', async () => {
  const cached = program(join(folder, 'cache/bin/temporal'));
  const other = program(join(folder, 'path/temporal'), 'a clock');
  expect(await find({ path: [dirname(other)] })).toBe(cached);
});

test('a named executable that is not Temporal stops the start, whatever else there is', async () => {
  program(join(folder, 'cache/bin/temporal'));
  await expect(find({ binary: '/bin/false' })).rejects.toThrow('TILLWAY_TEMPORAL_BINARY /bin/false is not');
});

test('sources are tried in order, and the first that works is kept for the next start', async () => {
  const cached = await find({
    sources: [source('first'), source('second', 'a clock'), source('third', 'temporal version 1')],
  });
  expect(cached).toBe(join(folder, 'cache/bin/temporal'));
  expect(said).toEqual([
    'Temporal server: trying first',
    '  not available: first is refused here',
    'Temporal server: trying second',
    '  not available: what it left does not run on this machine',
    'Temporal server: trying third',
    `Temporal server: ${cached} (from third)`,
  ]);
  expect(readdirSync(join(folder, 'cache'))).toEqual(['bin']);
  expect(await find()).toBe(cached);
});

test('when none works the error says what a person can do', async () => {
  await expect(find({ sources: [source('only')] })).rejects.toThrow(/set TEMPORAL_ADDRESS .* TILLWAY_TEMPORAL_BINARY/);
});

test('a stop ends the search instead of trying the next source', async () => {
  const stop = new AbortController();
  const waits: Source = {
    name: 'waits',
    limitMs: 60_000,
    obtain: (_place, _search, limit) =>
      new Promise((_resolve, reject) => limit.addEventListener('abort', () => reject(new Error('ended')))),
  };
  const search = find({ sources: [waits, source('next', 'temporal version 1')], signal: stop.signal });
  setTimeout(() => stop.abort(new Error('stopped')), 50);
  await expect(search).rejects.toThrow('stopped');
  expect(existsSync(join(folder, 'cache/bin/temporal'))).toBe(false);
});
