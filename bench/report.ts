import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REPORT = join(__dirname, '../../docs/performance.md');

/** What stands between the two comments of `part` in docs/performance.md. */
export function published(part: 'bench' | 'cost'): string {
  const text = readFileSync(REPORT, 'utf8');
  return text.slice(text.indexOf(`<!-- ${part}:begin -->`), text.indexOf(`<!-- ${part}:end -->`));
}

/** Replaces what stands between the two comments of `part` in docs/performance.md; the words around them stay. */
export function publish(part: 'bench' | 'cost', lines: readonly string[]): void {
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`];
  const text = readFileSync(REPORT, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${part}`);
  writeFileSync(REPORT, [text.slice(0, from) + begin, ...lines, text.slice(to)].join('\n'));
}
