import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REPORT = join(__dirname, '../../docs/performance.md');

type Part = 'bench' | 'cost';

/** Where in the text the table of a part begins and ends. Throws where it has no place. */
function placeOf(text: string, part: Part): [from: number, to: number] {
  const begin = `<!-- ${part}:begin -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(`<!-- ${part}:end -->`)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${part}`);
  return [from + begin.length, to];
}

/** What stands between the two comments of `part` in docs/performance.md. */
export function published(part: Part): string {
  const text = readFileSync(REPORT, 'utf8');
  return text.slice(...placeOf(text, part));
}

/** Replaces what stands there; the words around it stay. */
export function publish(part: Part, lines: readonly string[]): void {
  const text = readFileSync(REPORT, 'utf8');
  const [from, to] = placeOf(text, part);
  writeFileSync(REPORT, [text.slice(0, from), ...lines, text.slice(to)].join('\n'));
}
