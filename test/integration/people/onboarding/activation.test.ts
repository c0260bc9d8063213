import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import { FileStore } from '../../../../src/foundation/files/file-store';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { DocumentKeys } from '../../../../src/foundation/vault/document-keys';
import { Users } from '../../../../src/people/identity/users/user';
import { ActivationFiles } from '../../../../src/people/onboarding/activation-files';
import { ActivationSteps, activationDependencies } from '../../../../src/people/onboarding/activation-steps';
import { KEYS, openPlace, type Place } from '../customers/place';

const BY = { actor: 'usr_1', source: '127.0.0.1' };
const HOUR_MS = 3_600_000;
const PDF = Buffer.from('%PDF-1.7\n');

let place: Place;
let steps: ActivationSteps;
let files: ActivationFiles;

beforeAll(async () => {
  place = await openPlace('activation');
  const users = new Users(place.database, KEYS, Buffer.alloc(32, 3).toString('base64'));
  const operator = (name: string) => ({
    id: newId('user'),
    role: 'ops' as const,
    contact: { name, email: `${name}@ops.example` },
  });
  await place.database.system.transaction(async (trx) => {
    for (const name of ['ann', 'bob', 'gone']) await users.create(trx, operator(name));
    const gone = await users.findByEmail(trx, 'gone@ops.example');
    await trx('users').where({ id: gone!.id }).update({ disabled_at: trx.fn.now() });
  });
  const notifications = { ping: () => Promise.reject(new Error('nobody is to be pinged')) };
  steps = new ActivationSteps(
    place.database,
    activationDependencies(users, KEYS, { notifications, reminderMs: HOUR_MS }),
    async () => undefined,
  );
  files = new ActivationFiles(place.database, new FileStore(place.database, new DocumentKeys(KEYS)));
});
afterAll(() => place?.close());

const inTenant = <T>(work: (trx: Knex.Transaction) => Promise<T>) => place.database.tenant(place.tenantId, work);

/** An application of the sandbox's merchant, sent so long ago. */
async function application(agoMs: number): Promise<string> {
  const id = newId('activation');
  await inTenant(async (trx) => {
    const { id: organization_id } = await trx('organizations').first('id');
    await trx('activations').where({ organization_id, status: 'in_review' }).update({ status: 'withdrawn' });
    const { count } = (await trx('activations').where({ organization_id }).count('*').first()) as { count: string };
    await trx('activations').insert({
      id,
      tenant_id: place.tenantId,
      organization_id,
      number: Number(count) + 1,
      status: 'submitted',
      declared: '{}',
      documents: JSON.stringify([{ purpose: 'KYB', name: 'Register' }]),
      submitted_by: BY.actor,
      created_at: new Date(Date.now() - agoMs),
    });
  });
  return id;
}

/** To whom something was sent about an application. */
async function toldAbout(id: string): Promise<string[]> {
  const messenger = new Messenger(KEYS);
  const rows = await place.database.system('messages');
  return rows
    .map((row) => messenger.open(row.id, row.sealed))
    .filter(({ text }) => text.includes(id))
    .map(({ to }) => to)
    .sort();
}

const look = (id: string) => steps.look(place.tenantId, id);
const fromNow = (at?: Date) => Math.round((at!.getTime() - Date.now()) / HOUR_MS);

test('operators are reminded of an application that waits, once in each period, until it is decided', async () => {
  const fresh = await application(0);
  expect(fromNow((await look(fresh)).nextAt)).toBe(1);
  expect(await toldAbout(fresh)).toEqual([]);

  const id = await application(2 * HOUR_MS);
  const { row, nextAt } = await look(id);
  expect(row.status).toBe('in_review');
  expect(fromNow(nextAt)).toBe(1);
  // What the workers go by when the flow is gone.
  expect(row.look_at).toEqual(nextAt);
  const both = ['ann@ops.example', 'bob@ops.example'];
  expect(await toldAbout(id)).toEqual(both);
  await Promise.all([look(id), look(id)]);
  expect(await toldAbout(id)).toEqual(both);

  await inTenant((trx) =>
    trx('activations')
      .where({ id })
      .update({ reminded_at: new Date(Date.now() - HOUR_MS) }),
  );
  await Promise.all([look(id), look(id)]);
  expect(await toldAbout(id)).toEqual([...both, ...both].sort());

  await inTenant((trx) =>
    trx('activations')
      .where({ id })
      .update({ decision: 'rejected', decided_at: new Date(), reminded_at: new Date(Date.now() - HOUR_MS) }),
  );
  expect((await look(id)).nextAt).toBeUndefined();
  expect(await toldAbout(id)).toHaveLength(4);
});

test('a document counts as given once its file is here; who sent and read it is in the audit log', async () => {
  const activationId = await application(0);
  const at = { tenantId: place.tenantId, activationId, documentNumber: 1 };
  const upload = () => files.store(at, { contentType: 'application/pdf', content: once(PDF) }, BY);
  const isGiven = async () => !(await look(activationId)).open.includes('documents_given');
  expect(await isGiven()).toBe(false);
  await expect(files.open(at, BY)).rejects.toMatchObject({ code: 'not_found' });
  await upload();
  expect(await isGiven()).toBe(true);
  await upload();

  const { content } = await files.open(at, { ...BY, actor: 'usr_2' });
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  expect(Buffer.concat(parts)).toEqual(PDF);
  const kept = await inTenant((trx) => trx('files').where({ activation_id: activationId }));
  expect(kept).toHaveLength(1);
  const chunks: { sealed: Buffer }[] = await inTenant((trx) => trx('file_chunks'));
  expect(chunks.map(({ sealed }) => sealed.includes(PDF))).toEqual([false]);
  const lines = await inTenant((trx) => trx('audit_log').whereLike('action', 'activation.document%').orderBy('id'));
  expect(lines.map(({ action, actor, detail }) => [action, actor, detail.activationId])).toEqual([
    ['activation.document_file_uploaded', 'usr_1', activationId],
    ['activation.document_file_uploaded', 'usr_1', activationId],
    ['activation.document_file_read', 'usr_2', activationId],
  ]);
  await expect(files.open({ ...at, tenantId: place.otherTenantId }, BY)).rejects.toMatchObject({ code: 'not_found' });
});

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
