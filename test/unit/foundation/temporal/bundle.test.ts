import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { readBundle } from '../../../../src/foundation/temporal/engine';

test('an error in workflow code says the line that it came from, and no more', () => {
  const bundle = join(mkdtempSync(join(tmpdir(), 'tillway-bundle-')), 'bundle.js');
  writeFileSync(bundle, 'function fails() {\n  return new Error("wrong").stack;\n}\nfails();\n');
  const [message, ...lines] = runInNewContext(readBundle(bundle).code, {}, 'bundle.js').split('\n');
  expect([message, ...lines]).toEqual(['Error: wrong', '    at fails (bundle.js:2:10)']);
});
