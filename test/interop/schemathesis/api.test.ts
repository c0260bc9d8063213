import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Actors, actorsOf, type Json, send } from '../../e2e/client';
import { seededTpp } from '../../e2e/open-banking/tpp';
import { pythonWith } from '../../setup/python';
import { type Stack, startStack } from '../../setup/stack';

/**
 * Schemathesis reads the API document of a running platform and sends what fits it and what does not. It expects an
 * answer that the document has, for every request. `schemathesis.toml` and `rules.py` say what is left out, and why.
 */

const python = pythonWith(join(__dirname, 'requirements.txt'));
if (typeof python === 'string') console.warn(`${python}: the tests with Schemathesis are skipped`);

/** The paths by their first word, in tests of about the same length. */
const AREAS = [
  ['auth', 'callbacks', 'docs', 'health', 'openapi.json', 'sandbox'],
  ['approvals', 'consents', 'p2p'],
  ['bank-transfer', 'inventory', 'ledger', 'reconciliation'],
  ['customer'],
  ['disputes', 'notifications', 'ops'],
  ['identity', 'onboarding'],
  ['ipg', 'payouts'],
  ['open-banking'],
  ['orders', 'payment-links', 'payments'],
  ['routing', 'wallet'],
];

(typeof python === 'string' ? describe.skip : describe)('the API by its own document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-schemathesis-'));
  let stack: Stack;
  let actors: Actors;
  let document: Json;

  beforeAll(async () => {
    stack = await startStack();
    actors = await actorsOf(stack.credentials);
    document = (await send(`${stack.apiUrl}/openapi.json`)).body;
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  }, 240_000);
  afterAll(async () => {
    await stack?.remove();
    rmSync(folder, { recursive: true, force: true });
    if (typeof python !== 'string') python.remove();
  });

  /** A token for each role. Requests of the tests before may have ended one. */
  async function tokens(): Promise<Record<string, string>> {
    const { tenantId, customer } = stack.credentials;
    const { email, password } = customer;
    const signedIn = await send(`${stack.apiUrl}/auth/1.0.0/customers/token`, {
      method: 'POST',
      body: { tenantId, email, password },
    });
    const tpp = seededTpp(stack.credentials);
    const own = await tpp.token({ grant_type: 'client_credentials', scope: 'accounts' });
    tpp.close();
    const bearing = ({ headers }: { headers: Record<string, string> }) =>
      headers.authorization!.slice('Bearer '.length);
    return {
      merchant: bearing(actors.merchant),
      tenant_admin: bearing(actors.tenantAdmin),
      ops: bearing(actors.ops),
      customer: signedIn.body.access_token,
      tpp: own.body.access_token,
    };
  }

  /** Runs it over these operations. Answers its exit code and what it has printed. */
  async function run(paths: string, atEntrance: boolean): Promise<{ code: number | null; said: string }> {
    if (typeof python === 'string') throw new Error(python);
    const { apiUrl, authUrl, tenantId, organizationId, tpp } = stack.credentials;
    const tokenFile = join(folder, 'tokens.json');
    writeFileSync(tokenFile, JSON.stringify(await tokens()));
    const certificate = ['--request-cert', tpp.certPath, '--request-cert-key', tpp.keyPath];
    const child = spawn(
      python.program,
      [
        ...['-B', '-m', 'schemathesis.cli', 'run', join(folder, 'openapi.json'), '--include-path-regex', paths],
        ...(atEntrance ? certificate : []),
      ],
      {
        cwd: __dirname,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          TILLWAY_URL: atEntrance ? authUrl : apiUrl,
          TILLWAY_CA: tpp.caPath,
          TILLWAY_TENANT: tenantId,
          TILLWAY_ORGANIZATION: organizationId,
          TILLWAY_TOKENS: tokenFile,
        },
      },
    );
    let said = '';
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
      });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, said }));
    });
  }

  test('has every operation in one of the tests', () => {
    const words = Object.keys(document.paths).map((path) => path.split('/')[1]);
    expect([...new Set(words)].sort()).toEqual(AREAS.flat().sort());
  });

  test.each(AREAS)('answers under /%s as the document says', async (...words) => {
    const { code, said } = await run(`^/(${words.join('|')})(/|$)`, words[0] === 'open-banking');
    expect(code === 0 ? '' : said).toBe('');
    expect(said).toMatch(/\d+ test cases? generated|\d+ generated/);
    // It has called with rights: none of its requests has taken them from it.
    for (const caller of [actors.merchant, actors.tenantAdmin, actors.ops])
      expect((await caller.get('/ipg/1.0.0/payment/payments?limit=1')).status).not.toBe(401);
  });
});
