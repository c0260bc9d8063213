import { formatAmount } from '../../domain/money';
import type { ConsentStatus } from '../../domain/states/consent';
import type { ConsentRow } from '../consents/consent';
import { recordOf } from './initiation';
import { type BankPayment, scheduledStatusOf, statusOf } from './payment';

type Shown = Record<string, unknown>;

/** The standard knows four states of a consent to pay. One that has ended without a payment is rejected. */
const CONSENT_STATUS: Record<ConsentStatus, 'AwaitingAuthorisation' | 'Authorised' | 'Consumed' | 'Rejected'> = {
  AwaitingAuthorisation: 'AwaitingAuthorisation',
  Authorised: 'Authorised',
  Consumed: 'Consumed',
  Rejected: 'Rejected',
  Revoked: 'Rejected',
  Expired: 'Rejected',
};

/** OBWriteDomesticConsentResponse5. `self`: its address. */
export function presentPaymentConsent(consent: ConsentRow, self: string): Shown {
  const { Data, Risk } = recordOf(consent);
  return {
    Data: {
      ConsentId: consent.id,
      CreationDateTime: consent.created_at.toISOString(),
      Status: CONSENT_STATUS[consent.status],
      StatusUpdateDateTime: consent.updated_at.toISOString(),
      ...Data,
    },
    Risk,
    ...linked(self),
  };
}

/** OBWriteFundsConfirmationResponse1. */
export function presentFunds(isCovered: boolean, self: string, now = new Date()): Shown {
  const result = { FundsAvailableDateTime: now.toISOString(), FundsAvailable: isCovered };
  return { Data: { FundsAvailableResult: result }, ...linked(self) };
}

/** OBWriteDomesticResponse5. */
export function presentBankPayment(payment: BankPayment, self: string): Shown {
  return {
    Data: {
      DomesticPaymentId: payment.id,
      ConsentId: payment.consent_id,
      CreationDateTime: payment.created_at.toISOString(),
      Status: statusOf(payment),
      StatusUpdateDateTime: changedAt(payment),
      ...refundOf(payment),
      ...chargesOf(payment),
      Initiation: recordOf(payment).Data.Initiation,
    },
    ...linked(self),
  };
}

/** OBWriteDomesticScheduledResponse5. */
export function presentScheduledPayment(payment: BankPayment, self: string): Shown {
  const { Initiation } = recordOf(payment).Data;
  return {
    Data: {
      DomesticScheduledPaymentId: payment.id,
      ConsentId: payment.consent_id,
      CreationDateTime: payment.created_at.toISOString(),
      Status: scheduledStatusOf(payment),
      StatusUpdateDateTime: changedAt(payment),
      ExpectedExecutionDateTime: Initiation.RequestedExecutionDateTime,
      ...refundOf(payment),
      ...chargesOf(payment),
      Initiation,
    },
    ...linked(self),
  };
}

/** OBWritePaymentDetailsResponse1: of a payment that was refused, why. `Status` of its detail is a reason of ISO 20022. */
export function presentPaymentDetails(payment: BankPayment, self: string): Shown {
  const { id, transfer_id, rejection, rejection_detail, transfer_detail } = payment;
  const status = statusOf(payment);
  const description = (rejection_detail ?? transfer_detail ?? status).slice(0, 256);
  const detail =
    status === 'Rejected'
      ? { Status: rejection ?? 'NARR', StatusReason: 'ProprietaryRejection', StatusReasonDescription: description }
      : { Status: status, StatusReasonDescription: description };
  const step = {
    PaymentTransactionId: transfer_id ?? id,
    Status: status,
    StatusUpdateDateTime: changedAt(payment),
    StatusDetail: detail,
  };
  return { Data: { PaymentStatus: [step] }, ...linked(self) };
}

function changedAt({ moved_at, created_at }: BankPayment): string {
  return (moved_at ?? created_at).toISOString();
}

function refundOf({ refund }: BankPayment): Shown {
  return refund ? { Refund: { Account: refund } } : {};
}

/** The tenant's fee, where one was taken. */
function chargesOf({ fee_minor, fee_payer, currency }: BankPayment): Shown {
  if (!fee_minor) return {};
  const ChargeBearer = fee_payer === 'sender' ? 'BorneByDebtor' : 'BorneByCreditor';
  const Amount = { Amount: formatAmount(fee_minor, currency), Currency: currency };
  return { Charges: [{ ChargeBearer, Type: 'Tillway.Transfer', Amount }] };
}

function linked(self: string): Shown {
  return { Links: { Self: self }, Meta: { TotalPages: 1 } };
}
