import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS } from '../../model/mutants';
import { projectRoot } from '../../setup/project';

/** A mutant whose text has changed would prove nothing: whoever changes a fix changes its mutant. */
test.each(MUTANTS)('the fix of bug $bug stands once in $file', ({ file, from, to }) => {
  const text = readFileSync(join(projectRoot, file), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
