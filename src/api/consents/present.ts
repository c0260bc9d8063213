import { formatAmount } from '../../domain/money';
import type { AccessRow } from '../../open-banking/consents/accesses';
import type { ConsentRow } from '../../open-banking/consents/consent';
import type { WholeConsent } from '../../open-banking/consents/service';
import { moneyOf, noteOf, recordOf } from '../../open-banking/payments/initiation';

type ShownConsent = ConsentRow & { tpp_name: string };

/** A consent as third parties see it: the documented record as they sent it, with its status of now. */
export function presentRecord(consent: ConsentRow, authorisationUrl: string): Record<string, unknown> {
  return {
    consentId: consent.id,
    magicLink: authorisationUrl,
    ...consent.record,
    status: consent.status,
    authorisationUrl,
    createdAt: consent.created_at.toISOString(),
    updatedAt: consent.updated_at.toISOString(),
  };
}

/** A consent as the customer and the tenant's people see it. `authenticateBy`: when it needs an authentication again. */
export function presentConsent(consent: ShownConsent, authenticateBy: Date | undefined): Record<string, unknown> {
  const at = (name: string, value: Date | null | undefined) => (value ? { [name]: value.toISOString() } : {});
  return {
    consentId: consent.id,
    kind: consent.kind,
    status: consent.status,
    statusDetail: consent.status_detail,
    tppId: consent.tpp_id,
    tppName: consent.tpp_name,
    ...(consent.customer_id && { customerId: consent.customer_id }),
    permissions: consent.permissions,
    ...(consent.kind === 'payment' && { payment: presentPayment(consent) }),
    ...at('sharingFrom', consent.sharing_from),
    ...at('sharingTo', consent.sharing_to),
    ...at('expiresAt', consent.expires_at),
    ...at('authorisedAt', consent.authorised_at),
    ...at('authenticatedAt', consent.authenticated_at),
    ...at('authenticateBy', consent.status === 'Authorised' ? authenticateBy : undefined),
    createdAt: consent.created_at.toISOString(),
    updatedAt: consent.updated_at.toISOString(),
  };
}

/** What is to be paid, as the customer's page says it. */
function presentPayment(consent: ConsentRow): Record<string, unknown> {
  const { Initiation: initiation } = recordOf(consent).Data;
  const { amountMinor, currency } = moneyOf(initiation);
  const { Identification: payeeIban, Name: payeeName } = initiation.CreditorAccount;
  const { RequestedExecutionDateTime: due } = initiation;
  const note = noteOf(initiation);
  return {
    amount: formatAmount(amountMinor, currency),
    currency,
    payeeName,
    payeeIban,
    ...(note && { note }),
    ...(due && { executeAt: new Date(due).toISOString() }),
  };
}

export function presentWhole(
  { consent, tppName, accounts, events }: WholeConsent,
  authenticateBy: Date | undefined,
): Record<string, unknown> {
  return {
    ...presentConsent({ ...consent, tpp_name: tppName }, authenticateBy),
    accounts: accounts.map(({ iban, currency }) => ({ iban, currency })),
    events: events.map(({ cause, status, actor, detail, ibans, at }) => ({
      cause,
      status,
      actor,
      detail,
      ...(ibans && { ibans }),
      at: at.toISOString(),
    })),
  };
}

export function presentAccess(access: AccessRow & { iban: string | null }): Record<string, unknown> {
  return {
    accessId: access.id,
    resource: access.resource,
    ...(access.iban && { iban: access.iban }),
    customerPresent: access.is_customer_present,
    ...(access.refusal && { refusal: access.refusal }),
    interactionId: access.interaction_id,
    at: access.at.toISOString(),
  };
}
