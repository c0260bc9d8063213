import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signatureOf } from '../../../../src/edge/notifications/signature';
import { projectRoot } from '../../../setup/project';

const SECRET = 'whsec';
const BODY = '{"id":"ntf_1","note":"größer"}';

/** Runs the example of docs/notifications.md as it stands there. */
function documented(header: string, body: string, secret = SECRET): boolean {
  const page = readFileSync(join(projectRoot, 'docs/notifications.md'), 'utf8');
  const example = /```js\n([\s\S]*?)```/.exec(page)![1];
  const call = `process.stdout.write(String(isGenuine(...${JSON.stringify([header, body, secret])})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${example}${call}`], {
    encoding: 'utf8',
    env: {},
  });
  expect(stderr).toBe('');
  return stdout === 'true';
}

test('a signature is over time and body', () => {
  const header = signatureOf(BODY, [SECRET], new Date('2026-11-21T16:08:31.999Z'));
  expect(header).toBe('t=1795277311,v1=468301ed3c59bef41292bd19b4431f0848523d2369166ff4529eec9f492ab647');
});

test('the example that merchants copy takes what is genuine and nothing else', () => {
  const header = signatureOf(BODY, [SECRET], new Date());
  expect(documented(header, BODY)).toBe(true);
  expect(documented(signatureOf(BODY, ['new', SECRET], new Date()), BODY)).toBe(true);
  expect(documented(header, `${BODY} `)).toBe(false);
  expect(documented(header, BODY, 'other')).toBe(false);
  expect(documented(header.replace(/t=\d/, 't=2'), BODY)).toBe(false);
  expect(documented(signatureOf(BODY, [SECRET], new Date(Date.now() - 600_000)), BODY)).toBe(false);
  for (const odd of ['', 'undefined', 't=1', 'v1=', 't=,v1=zz', `${header.slice(0, -1)}`])
    expect(documented(odd, BODY)).toBe(false);
});
