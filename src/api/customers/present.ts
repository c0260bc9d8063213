import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';
import type { HeldAccess, HeldConsent } from '../../money/customer-accounts/consents';
import type { CustomerExport } from '../../money/customer-accounts/export';
import type { Transaction } from '../../money/customer-accounts/transactions';
import type { PaymentRow } from '../../money/payments/payment';
import { presentPayment } from '../../money/payments/present';
import type { SavedCardRow } from '../../money/payments/saved-card';
import type { ShownCard } from '../../money/payments/shown-card';
import { topupIdOf } from '../../money/payments/topup';
import type { CardVerificationRow } from '../../money/saved-cards/card-verification';
import type { Customer } from '../../people/customers/register';
import { presentBeneficiary } from '../records/beneficiary';
import { presentDocument } from '../records/document';
import { presentMember } from '../records/member';
import { presentMoneyRequest } from '../records/money-request';
import { presentSchedule } from '../records/schedule';
import { presentStandingOrder } from '../records/standing-order';
import { presentStatusEvent } from '../records/status-event';
import { presentTransfer } from '../records/transfer';

/** The customer record as it was sent, without its secrets, and with our own members. */
export function presentCustomer({ row, profile }: Customer): Record<string, unknown> {
  return {
    customerId: row.id,
    tenantId: row.tenant_id,
    organizationId: row.organization_id ?? undefined,
    ...profile,
    customerStatus: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** One movement of money that belongs to a customer. */
export function presentTransaction(transaction: Transaction, customerId: string): Record<string, unknown> {
  if ('payment' in transaction) return presentCustomerPayment(transaction.payment);
  const { transfer } = transaction;
  const direction = transfer.sender_id === customerId ? 'sent' : 'received';
  return { type: 'transfer', direction, ...presentTransfer(transfer) };
}

function presentCustomerPayment(payment: PaymentRow): Record<string, unknown> {
  const record = presentPayment(payment);
  return payment.beneficiary === 'wallet'
    ? { type: 'topup', topupId: topupIdOf(payment.id), ...record }
    : { type: 'payment', ...record };
}

export function presentPaymentMethod(saved: SavedCardRow): Record<string, unknown> {
  return {
    paymentMethodId: saved.id,
    customerId: saved.customer_id,
    type: 'card',
    paymentBrand: saved.brand,
    card: presentCard(saved),
    isDefault: saved.is_default,
    createdAt: saved.created_at,
  };
}

/** The verification of a card that is to be saved. */
export function presentCardVerification(row: CardVerificationRow): Record<string, unknown> {
  return {
    cardVerificationId: row.id,
    customerId: row.customer_id,
    status: row.status,
    result: { code: row.result_code, description: RESULT_DESCRIPTIONS[row.result_code] },
    detail: row.status_detail,
    paymentBrand: row.brand,
    card: presentCard(row),
    action: row.action ?? undefined,
    paymentMethodId: row.payment_method_id ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function presentCard({ bin, last4, holder, expiry_month, expiry_year }: ShownCard): Record<string, string> {
  return { bin, last4Digits: last4, holder, expiryMonth: expiry_month, expiryYear: expiry_year };
}

/** Everything that we store about a customer. */
export function presentExport(held: CustomerExport): Record<string, unknown> {
  return {
    exportedAt: new Date(),
    customer: presentCustomer(held.customer),
    statusHistory: held.statusHistory.map(presentStatusEvent),
    documents: held.documents.map((document) => ({
      ...presentDocument(document),
      withdrawnAt: document.row.withdrawn_at ?? undefined,
    })),
    identifiers: held.identifiers.map(({ type, verified_at }) => ({ type, verifiedAt: verified_at ?? undefined })),
    secrets: held.secrets.map(({ kind, updated_at }) => ({ kind: kind.split(':')[0], changedAt: updated_at })),
    twoFactor: held.twoFactor && {
      login: held.twoFactor.login,
      trading: held.twoFactor.trading,
      funding: held.twoFactor.funding,
      updatedAt: held.twoFactor.updated_at,
    },
    payments: held.payments.map(presentCustomerPayment),
    transfers: {
      membership: held.member && presentMember(held.member),
      made: held.transfers.map(presentTransfer),
      requests: held.moneyRequests.map(presentMoneyRequest),
      schedules: held.schedules.map(presentSchedule),
    },
    paymentMethods: held.paymentMethods.map(presentPaymentMethod),
    beneficiaries: held.beneficiaries.map(presentBeneficiary),
    standingOrders: held.standingOrders.map(presentStandingOrder),
    mandates: held.mandates.map(({ id, iban_last4, account_holder, signed_at, state }) => ({
      mandateId: id,
      ibanLast4: iban_last4,
      accountHolder: account_holder,
      signedAt: signed_at,
      state,
    })),
    consents: held.consents.map(presentHeldConsent),
    consentAccesses: held.consentAccesses.map(presentHeldAccess),
    audit: held.audit.map(({ at, actor, action, source }) => ({ at, actor, action, source: source ?? undefined })),
  };
}

function presentHeldConsent(consent: HeldConsent): Record<string, unknown> {
  return {
    consentId: consent.id,
    kind: consent.kind,
    status: consent.status,
    statusDetail: consent.status_detail,
    tppId: consent.tpp_id,
    tppName: consent.tpp_name,
    permissions: consent.permissions,
    record: JSON.stringify(consent.record),
    ibans: consent.ibans,
    sharingFrom: consent.sharing_from ?? undefined,
    sharingTo: consent.sharing_to ?? undefined,
    expiresAt: consent.expires_at ?? undefined,
    authorisedAt: consent.authorised_at ?? undefined,
    createdAt: consent.created_at,
    events: consent.events.map(({ cause, status, actor, detail, at }) => ({ cause, status, actor, detail, at })),
  };
}

function presentHeldAccess(access: HeldAccess): Record<string, unknown> {
  return {
    consentId: access.consent_id,
    resource: access.resource,
    iban: access.iban ?? undefined,
    customerPresent: access.is_customer_present,
    refusal: access.refusal ?? undefined,
    at: access.at,
  };
}
