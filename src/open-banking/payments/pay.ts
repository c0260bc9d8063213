import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { makeSchedule, type ScheduleRow } from '../../money/p2p/schedules';
import { makeTransfer, type TransferDependencies } from '../../money/p2p/send';
import type { TransferRow } from '../../money/p2p/transfer';
import type { Act, StepUps } from '../../people/customer-access/step-ups';
import { findConsent } from '../consents/consent';
import { consumeConsent } from '../consents/service';
import { ObieError, refuseByStandard } from '../obie-error';
import { actOf, differenceOf, type Initiation, kindOf, noteOf, type PaymentKind, recordOf } from './initiation';
import { type BankPaymentRow, type RejectionReason, rejectionFor } from './payment';
import { requireFuture } from './payment-consents';

export interface PayDependencies {
  p2p: TransferDependencies;
  stepUps: Pick<StepUps, 'consume'>;
}

/** What a third party sends to have a consent executed (OBWriteDomestic2). */
export interface PaymentOrder {
  /** The same id again answers the payment that is there (a repeat after a crash). */
  paymentId: string;
  kind: PaymentKind;
  tppId: string;
  consentId: string;
  initiation: Initiation;
  risk: Record<string, unknown>;
  by: Actor;
}

/**
 * Makes the payment of a consent, in the caller's transaction: the consent is consumed, the customer's confirmation of
 * amount and payee is used up, and the money moves or the payment is refused. Or nothing of it happens. Answers the transfer
 * too, where there is one.
 *
 * Throws `not_found` and `ObieError`: the consent does not allow it, it is another payment, or the customer has to confirm
 * it anew.
 */
export async function makePayment(
  trx: Knex.Transaction,
  parts: PayDependencies,
  order: PaymentOrder,
): Promise<{ payment: BankPaymentRow } & Moving> {
  const { paymentId, tppId, consentId, by } = order;
  const made: BankPaymentRow | undefined = await trx('open_banking_payments').where({ id: paymentId }).first();
  if (made) return { payment: made };
  const { customer_id: customerId, tenant_id: tenantId, ...asked } = await findConsent(trx, consentId);
  if (asked.tpp_id !== tppId || asked.kind !== 'payment') throw notFound('consent');
  if (kindOf(recordOf(asked)) !== order.kind) throw notFound('consent');
  requireSame(recordOf(asked), order);
  if (!customerId || asked.status !== 'Authorised') throw refuseStatus(asked.status);
  const due = order.initiation.RequestedExecutionDateTime;
  if (due !== undefined) requireFuture(due);
  // A change of the customer's status locks the customer before its consents. So do we.
  await trx('customers').where({ id: customerId }).forShare().first('id');
  const consent = await consumeConsent(trx, tppId, consentId).catch((error: unknown) => {
    // Another request for the same consent was a moment sooner, or the customer has revoked it.
    if (error instanceof DomainError && error.code === 'consent_not_usable') throw refuseStatus('over');
    throw error;
  });
  const act = actOf(consent, customerId);
  await useConfirmation(trx, parts, act, consent.step_up_id ?? '', paymentId);
  const { transfer, schedule, rejection } = await move(trx, parts.p2p, act, order);
  const [payment]: BankPaymentRow[] = await trx('open_banking_payments')
    .insert({
      id: paymentId,
      kind: order.kind,
      tenant_id: tenantId,
      tpp_id: tppId,
      consent_id: consentId,
      customer_id: customerId,
      account_id: consent.accounts[0]!.account_id,
      creditor_iban: act.payee.id,
      currency: act.currency,
      amount_minor: String(act.amountMinor),
      transfer_id: transfer?.id ?? null,
      schedule_id: schedule?.id ?? null,
      rejection: rejection?.reason ?? null,
      rejection_detail: rejection?.detail ?? null,
    })
    .returning('*');
  await noteDone(trx, tenantId, by, 'bank_payment.make', paymentId, {
    consentId,
    transferId: transfer?.id,
    scheduleId: schedule?.id,
    refused: rejection?.reason,
  });
  return { payment: payment!, transfer, schedule };
}

/** Amount, payee and everything else must be what the customer has agreed to (the standard, "Domestic Payments"). */
function requireSame({ Data, Risk }: ReturnType<typeof recordOf>, { initiation, risk }: PaymentOrder): void {
  const difference = differenceOf(Data.Initiation, initiation, 'Data.Initiation') ?? differenceOf(Risk, risk, 'Risk');
  if (difference)
    refuseByStandard('UK.OBIE.Resource.ConsentMismatch', 'This is not what the customer has agreed to', difference);
}

function refuseStatus(status: string): never {
  refuseByStandard(
    'UK.OBIE.Resource.InvalidConsentStatus',
    `The consent is ${status}, not Authorised`,
    'Data.ConsentId',
  );
}

async function useConfirmation(
  trx: Knex.Transaction,
  { stepUps }: PayDependencies,
  act: Act,
  stepUpId: string,
  paymentId: string,
): Promise<void> {
  try {
    await stepUps.consume(trx, act, stepUpId, paymentId);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'step_up_refused')) throw error;
    throw new ObieError(403, [{ ErrorCode: 'UK.OBIE.Reauthenticate', Message: error.message }]);
  }
}

/** What moves the money, now or when it is due. */
interface Moving {
  transfer?: TransferRow;
  schedule?: ScheduleRow;
}

interface Moved extends Moving {
  rejection?: { reason: RejectionReason; detail: string };
}

/** Moves the money or schedules it, or finds why it must not move: then whatever the attempt has touched is as before. */
async function move(trx: Knex.Transaction, p2p: TransferDependencies, act: Act, order: PaymentOrder): Promise<Moved> {
  const { tenantId, customerId: senderId, amountMinor, currency, payee } = act;
  const { initiation, by } = order;
  const common = {
    tenantId,
    senderId,
    recipient: { iban: payee.id },
    money: { amountMinor, currency },
    note: noteOf(initiation),
    acting: { actor: by, isStaff: false },
  };
  const due = initiation.RequestedExecutionDateTime;
  try {
    return await trx.transaction(async (attempt): Promise<Moving> => {
      if (due === undefined)
        return { transfer: await makeTransfer(attempt, p2p, { ...common, transferId: newId('transfer') }) };
      const recurrence = { frequency: 'once', startsAt: new Date(due) } as const;
      const scheduleId = newId('transferSchedule');
      return {
        schedule: await makeSchedule(attempt, p2p.keys, { ...common, scheduleId, kind: 'schedule', recurrence }),
      };
    });
  } catch (error) {
    const reason = error instanceof DomainError && rejectionFor(error.code);
    if (!reason) throw error;
    return { rejection: { reason, detail: (error as DomainError).message } };
  }
}
