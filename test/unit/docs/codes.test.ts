import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAIN_ERROR_CODES } from '../../../src/domain/errors';
import { RESULT } from '../../../src/domain/result-codes';
import { projectRoot } from '../../setup/project';

/** The codes that a section of docs/codes.md lists, each with its anchor, in the order of the page. */
function listedUnder(heading: string): string[] {
  const page = readFileSync(join(projectRoot, 'docs/codes.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = [
    ...section.matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` *\| *[^|\s][^|]*\| *[^|\s][^|]*\| *[^|\s][^|]*\|$/gm),
  ];
  return rows.map(([, anchor, code]) => {
    expect(anchor).toBe(code);
    return code!;
  });
}

describe('docs/codes.md', () => {
  test('lists each error code once, with its status, cause and cure, and no other', () => {
    expect(listedUnder('Error codes').sort()).toEqual([...DOMAIN_ERROR_CODES].sort());
  });

  test('lists each result code once, with its meaning, cause and cure, and no other', () => {
    expect(listedUnder('Result codes').sort()).toEqual(Object.values(RESULT).map(String).sort());
  });
});
