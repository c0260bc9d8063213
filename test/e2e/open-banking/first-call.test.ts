import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstConsent } from '../../../src/sandbox/runtime/credentials';
import { projectRoot } from '../../setup/project';
import { sharedStack } from '../../setup/stack';
import { withoutCertificate } from './tpp';

const { credentials, home } = sharedStack();
const browser = withoutCertificate(credentials);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillway-first-call-'));
  symlinkSync(home, join(folder, '.tillway'));
});
afterAll(() => {
  browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Without these two, which people have, the tests are skipped. */
const haveTools = spawnSync('bash', ['-c', 'command -v curl && command -v openssl']).status === 0;
const withTools = haveTools ? describe : describe.skip;

/** The commands of a section of a page, as somebody copies them. */
function commandsOf(page: string, section: string, count: number): string {
  const [, text = ''] = readFileSync(join(projectRoot, page), 'utf8').split(`\n## ${section}\n`);
  const blocks = [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  expect(blocks.length).toBeGreaterThanOrEqual(count);
  return blocks.slice(0, count).join('\n');
}

const run = (commands: string) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, encoding: 'utf8' });

withTools('somebody with curl and openssl', () => {
  test.each([
    ['the README', () => commandsOf('README.md', 'A first consent', 1)],
    ['the page about open banking', () => commandsOf('docs/open-banking.md', 'First call', 1)],
    [
      'npm start',
      () => firstConsent(credentials.authUrl, credentials as unknown as Parameters<typeof firstConsent>[1]),
    ],
  ])('the first call that %s shows is answered', (_, commands) => {
    expect(JSON.parse(run(commands()))).toMatchObject({
      status: 'AwaitingAuthorisation',
      customerId: credentials.customer.customerId,
      authorisationUrl: expect.stringContaining(`${credentials.authUrl}/authorize?`),
    });
  });

  test('the link of the page about open banking leads to the customer’s page', async () => {
    const printed = run(commandsOf('docs/open-banking.md', 'First call', 2))
      .trim()
      .split('\n')
      .at(-1)!;
    const { status, headers } = await browser.send(printed);
    expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/interaction\//)]);
  });
});
