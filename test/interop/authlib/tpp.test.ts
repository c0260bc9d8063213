import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Actors, actorsOf, type Json } from '../../e2e/client';
import { newMember, PASSWORD } from '../../e2e/page-visitors';
import { Topups } from '../../e2e/topups';
import { pythonWith } from '../../setup/python';
import { type Stack, startStack } from '../../setup/stack';

/** A third party that others' libraries make: Authlib and joserfc, in Python. */

const python = pythonWith(join(__dirname, 'requirements.txt'));
if (typeof python === 'string') console.warn(`${python}: the tests with Authlib are skipped`);

(typeof python === 'string' ? describe.skip : describe)('a third party written with Authlib and joserfc', () => {
  let stack: Stack;
  let actors: Actors;

  beforeAll(async () => {
    stack = await startStack();
    actors = await actorsOf(stack.credentials);
  }, 240_000);
  afterAll(async () => {
    await stack?.remove();
    if (typeof python !== 'string') python.remove();
  });

  /** Runs the script with this on its stdin. Answers what it has printed. */
  function run(given: object): Promise<{ code: number | null; stdout: string; stderr: string }> {
    if (typeof python === 'string') throw new Error(python);
    const child = spawn(python.program, ['-I', '-B', join(__dirname, 'tpp.py')]);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        said[name] += chunk;
      });
    child.stdin.end(JSON.stringify(given));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, ...said }));
    });
  }

  const walletOf = async (customerId: string): Promise<Json> => {
    const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
    return (body.data ?? body).find(({ currency }: Json) => currency === 'EUR');
  };

  /** A customer with money, and what the script needs to know of the platform. */
  async function walk(): Promise<{ customerId: string; given: Json }> {
    const [payer, payee] = [await newMember(actors.tenantAdmin), await newMember(actors.tenantAdmin, 'Bob Baker')];
    const topups = new Topups(actors.tenantAdmin);
    for (const { customerId } of [payer, payee]) await topups.made(customerId, { amount: '12.30' });
    const { authUrl, tpp, tenantId } = stack.credentials;
    const creditorIban = (await walletOf(payee.customerId)).iban;
    const given = { authUrl, tpp, tenantId, customer: { ...payer, password: PASSWORD }, creditorIban };
    return { customerId: payer.customerId, given };
  }

  test('walks from discovery to the accounts of its customer and to a signed consent to pay', async () => {
    const { customerId, given } = await walk();
    const { code, stdout, stderr } = await run(given);
    expect([code, stderr]).toEqual([0, '']);
    const seen = JSON.parse(stdout);
    const { body: consent } = await actors.tenantAdmin.get(`/consents/1.0.0/consents/${seen.consentId}`);
    expect(consent).toMatchObject({ status: 'Authorised', customerId, tppName: stack.credentials.tpp.name });
    expect(seen.ibans).toEqual([(await walletOf(customerId)).iban]);
    expect(seen.amounts).toContainEqual({ Amount: '12.30', Currency: 'EUR' });
    expect(seen.payment).toEqual({
      consentId: expect.stringMatching(/^con_/),
      status: 'AwaitingAuthorisation',
      signedBy: expect.any(String),
      altered: 'UK.OBIE.Signature.Invalid',
    });
    const asked = await actors.tenantAdmin.get(`/consents/1.0.0/consents/${seen.payment.consentId}`);
    expect(asked.body).toMatchObject({ kind: 'payment', status: 'AwaitingAuthorisation' });
  });

  test('gets nowhere with the certificate of another', async () => {
    const { given } = await walk();
    const { certPath, keyPath } = stack.credentials.other.tpp;
    const { code, stderr, stdout } = await run({ ...given, tpp: { ...given.tpp, certPath, keyPath } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('invalid_client');
  });
});
