import { customerAudit } from '../../../../src/people/customers/audit';
import { noteCustomer, noteRead } from '../../../../src/people/customers/audit-lines';
import { insertPerson, openPlace, type Place, STAFF } from './place';

let place: Place;

beforeAll(async () => {
  place = await openPlace('audit');
});
afterAll(() => place?.close());

test('what was done to a customer and the lists that showed it are one history, newest first, page by page', async () => {
  const { database, tenantId } = place;
  const [{ id }, other] = [await insertPerson(place), await insertPerson(place)];
  await database.tenant(tenantId, async (trx) => {
    await noteRead(trx, tenantId, STAFF, 'customer.read', [id]);
    await noteRead(trx, tenantId, STAFF, 'customer.list', [other.id, id]);
    await noteRead(trx, tenantId, STAFF, 'customer.read', [other.id]);
    await noteCustomer(trx, tenantId, STAFF, 'customer.update', id, { members: ['customerName'] });
  });
  const lines = await database.tenant(tenantId, (trx) => customerAudit(trx, id, 50));
  expect(lines.map(({ action }) => action)).toEqual(['customer.update', 'customer.list', 'customer.read']);
  expect(lines.map(({ detail }) => detail)).toEqual([
    { members: ['customerName'], requestId: STAFF.requestId },
    { requestId: STAFF.requestId },
    { requestId: STAFF.requestId },
  ]);
  const page = await database.tenant(tenantId, (trx) => customerAudit(trx, id, 1, `${lines[0]!.id}`));
  expect(page).toEqual(lines.slice(1));
  const foreign = await database.tenant(place.otherTenantId, (trx) => customerAudit(trx, id, 50));
  expect(foreign).toEqual([]);
});
