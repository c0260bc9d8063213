import type { Attack } from './attack';
import type { Caller } from './place';

/** Also shows that there was something to see. */
const OWN_ONLY = 'its own 200, others 404';
const PAYMENTS = '/ipg/1.0.0/payment/payments';

/** Acts on what belongs to others. Unknown and foreign are answered alike. */
export const TENANT_ATTACKS: Attack[] = [
  {
    name: 'an admin reads a customer of another tenant',
    point: 'ASVS 8.4.1',
    expected: OWN_ONLY,
    strike: ({ admin, foreignAdmin, credentials }) =>
      read(`/customer/1.0.0/fetch/${credentials.customer.customerId}`, admin, foreignAdmin),
  },
  {
    name: 'a merchant reads a payment of another tenant',
    point: 'ASVS 8.4.1',
    expected: OWN_ONLY,
    strike: async (place) =>
      read(`${PAYMENTS}/${await place.payment()}/status-by-payment-id`, place.merchant, place.foreignMerchant),
  },
  {
    name: 'a merchant refunds a payment of another tenant',
    point: 'ASVS 8.4.1',
    expected: '404, refunded 0.00',
    strike: async (place) => {
      const id = await place.payment();
      const { status } = await place.foreignMerchant.post(`${PAYMENTS}/${id}/refund`, { amount: '10.00' });
      return `${status}, refunded ${(await place.paid(id)).amounts.refunded ?? '0.00'}`;
    },
  },
  {
    name: 'a token is sent with the id of another tenant',
    point: 'ASVS 8.4.1',
    expected: '403',
    strike: async ({ foreignAdmin, credentials: { tenantId } }) =>
      said(await foreignAdmin.get('/wallet/1.0.0/fees', { tenantid: tenantId })),
  },
  {
    name: 'a token is sent with the id of an organization of another tenant',
    point: 'ASVS 8.4.1',
    expected: '403',
    strike: async ({ foreignMerchant, credentials: { organizationId } }) =>
      said(await foreignMerchant.get(PAYMENTS, { organizationid: organizationId })),
  },
  {
    name: 'a customer reads the wallet of another',
    point: 'ASVS 8.2.2',
    expected: OWN_ONLY,
    strike: async (place) => {
      const [eve, mallory] = [await place.victim(), await place.victim()];
      const balances = `/wallet/1.0.0/customers/${eve.customerId}/balances`;
      return read(balances, await place.customer(eve), await place.customer(mallory));
    },
  },
  {
    name: 'a customer sends money from the wallet of another',
    point: 'ASVS 8.2.2',
    expected: '404, 10.00 left',
    strike: async (place) => {
      const [eve, mallory] = [await place.victim(), await place.victim()];
      const caller = await place.customer(mallory);
      const transfer = { senderId: eve.customerId, recipient: mallory.customerId, amount: '1.00', currency: 'EUR' };
      const { status } = await caller.post('/p2p/1.0.0/transfers', transfer);
      return `${status}, ${await place.available(eve.customerId)} left`;
    },
  },
];

const said = ({ status }: { status: number }) => `${status}`;

/** What the owner gets, and what somebody else gets. */
const read = async (path: string, owner: Caller, other: Caller) =>
  `its own ${said(await owner.get(path))}, others ${said(await other.get(path))}`;
