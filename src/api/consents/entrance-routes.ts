import { refuse } from '../../domain/errors';
import type { ConsentRow } from '../../open-banking/consents/consent';
import { refusalOf } from '../../open-banking/consents/permissions';
import type { Consents } from '../../open-banking/consents/service';
import type { TppRow } from '../../open-banking/tpps/tpp';
import { actorOf } from '../server/actor';
import { type Route, route } from '../server/route';
import { presentRecord } from './present';
import { type ConsentBody, type ConsentParams, consentBody, consentParams, consentRecord } from './schema';

const BASE = '/open-banking/2.0.0/consent';
const ONE = `${BASE}/{consentId}`;

export interface ConsentEntranceDependencies {
  consents: Consents;
  /** Where the entrance is: AUTH_PORT. */
  authUrl: string;
}

/** Consents to read accounts, as third parties make and end them. */
export function consentEntranceRoutes({ consents, authUrl }: ConsentEntranceDependencies): Route[] {
  const common = {
    area: 'Open banking: consents',
    roles: ['tpp'] as const,
    entrance: { scope: 'accounts', token: 'client', errors: 'documented' } as const,
  };
  const record = { description: 'The consent', schema: consentRecord };
  const present = (consent: ConsentRow, tpp: TppRow) => presentRecord(consent, authorisationUrl(authUrl, consent, tpp));

  return [
    route<ConsentBody>({
      ...common,
      method: 'POST',
      path: BASE,
      summary: 'Ask for a consent to read accounts',
      description:
        'The customer authorises it at `authorisationUrl`. `sharingStartDate` to `sharingEndDate` bound the booking ' +
        'dates of what you see, `expiryDate` when you may read. `tenantId` is a bank that you serve, ' +
        '`serviceProvider` your registered name, `customerId` one of its customers: else 400, with one message for all.',
      body: consentBody,
      responses: { 201: record },
      handler: async (ctx) => {
        const { body, tpp } = ctx;
        checkDates(body);
        const permissions = [...new Set(body.permissions.map(({ name }) => name))];
        const refusal = refusalOf(permissions);
        if (refusal) refuse('permissions', refusal);
        await consents.requireParties(tpp, body);
        const order = {
          id: ctx.resourceId('consent'),
          tenantId: body.tenantId,
          tppId: tpp.id,
          kind: 'account' as const,
          customerId: body.customerId,
          permissions,
          record: body,
          sharingFrom: new Date(body.sharingStartDate),
          sharingTo: new Date(body.sharingEndDate),
          expiresAt: new Date(body.expiryDate),
        };
        return { status: 201, body: present(await consents.create(order, actorOf(ctx)), tpp) };
      },
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'GET',
      path: ONE,
      params: consentParams,
      summary: 'One of your consents',
      responses: { 200: record },
      handler: async (ctx) => ({
        status: 200,
        body: present(await consents.accountConsentOf(ctx.tpp.id, ctx.params.consentId), ctx.tpp),
      }),
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'DELETE',
      path: ONE,
      params: consentParams,
      summary: 'End one of your consents',
      description:
        'One that waits, also after an error while it was being authorised, becomes `Rejected`; one that is authorised ' +
        '`Revoked`, and its tokens are gone. 409: it has ended already.',
      responses: { 204: { description: 'Ended' } },
      handler: async (ctx) => {
        const { id } = await consents.accountConsentOf(ctx.tpp.id, ctx.params.consentId);
        await consents.delete(ctx.tpp.id, id, actorOf(ctx));
        return { status: 204 };
      },
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/reconfirm`,
      params: consentParams,
      summary: 'Say that your customer has confirmed the consent again',
      description:
        'For a bank with `REAUTHENTICATION_DAYS=0` (article 10A of the United Kingdom): you ask the customer yourself, ' +
        'every 90 days. Other banks authenticate their customers again themselves, and answer 409.',
      responses: { 200: record },
      handler: async (ctx) => ({
        status: 200,
        body: present(await consents.reconfirm(ctx.tpp.id, ctx.params.consentId, actorOf(ctx)), ctx.tpp),
      }),
    }),
  ];
}

function checkDates({ sharingStartDate, sharingEndDate, expiryDate }: ConsentBody): void {
  const [from, to, end] = [sharingStartDate, sharingEndDate, expiryDate].map((date) => new Date(date).getTime());
  if (from! > to!) refuse('sharingEndDate', 'must not be before sharingStartDate');
  if (to! > end!) refuse('expiryDate', 'must not be before sharingEndDate');
  if (end! <= Date.now()) refuse('expiryDate', 'must be in the future');
}

/** Where the customer authorises a consent. The third party adds what is its own: state, nonce, PKCE. */
function authorisationUrl(authUrl: string, { id }: ConsentRow, tpp: TppRow): string {
  const query = new URLSearchParams({
    client_id: tpp.id,
    response_type: 'code',
    scope: 'openid accounts',
    consent_id: id,
    redirect_uri: tpp.redirect_uris[0] ?? '',
  });
  return `${authUrl}/authorize?${query}`;
}
