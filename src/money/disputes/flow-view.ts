import type { DisputeInput, DisputeView } from '../../domain/flows';
import { growingPauseMs } from '../../domain/pauses';
import { hasEnded } from '../../domain/states/dispute';
import type { Config } from '../../foundation/config/config';
import type { DisputeOperationRow, DisputeRow } from './dispute';
import { type Contesting, capabilityOf } from './send';

/** How a dispute's flow sees it after each step: where it stands, whom it waits for, and for how long. */
export interface Viewing extends Pick<Contesting, 'database' | 'connectors'> {
  timers: Config['timers'];
}

export function findDispute(
  { database }: Pick<Viewing, 'database'>,
  { processor, caseId }: DisputeInput,
): Promise<DisputeRow | undefined> {
  return database.system('disputes').where({ processor, case_id: caseId }).first();
}

/** The view of a dispute as it stands. */
export async function readDisputeView(viewing: Viewing, input: DisputeInput): Promise<DisputeView> {
  const dispute = await findDispute(viewing, input);
  return dispute
    ? lookUpDisputeView(viewing, dispute)
    : { status: 'open', detail: 'the chargeback itself has not been told', waitsFor: 'provider' };
}

/** The same of a row that is at hand, looking up whether an order waits for the processor. */
export async function lookUpDisputeView(viewing: Viewing, dispute: DisputeRow, tries = 0): Promise<DisputeView> {
  const operation = hasEnded(dispute.status)
    ? undefined
    : await viewing.database.tenant(dispute.tenant_id, (trx) =>
        trx('dispute_operations').where({ dispute_id: dispute.id, status: 'pending' }).first(),
      );
  return disputeView(viewing, dispute, operation, tries);
}

/** Says whom the dispute waits for, and after how long the flow acts by itself. More `tries` make the pause longer. */
export function disputeView(
  viewing: Viewing,
  dispute: DisputeRow,
  operation: DisputeOperationRow | undefined,
  tries = 0,
): DisputeView {
  const { inquiryFirstMs, inquiryMaxMs, disputeInquiryMs } = viewing.timers;
  const view = { status: dispute.status, detail: dispute.status_detail, sinceMs: dispute.updated_at.getTime() };
  const growing = (maxMs: number) => growingPauseMs(inquiryFirstMs, tries, maxMs);
  if (hasEnded(dispute.status)) return { ...view, waitsFor: 'nobody' };
  if (dispute.status === 'flagged') return { ...view, waitsFor: 'operator', askAgainMs: growing(disputeInquiryMs) };
  if (operation) return { ...view, waitsFor: 'provider', askAgainMs: growing(inquiryMaxMs) };
  const leftMs = (dispute.evidence_due_at?.getTime() ?? 0) - Date.now();
  if (dispute.status === 'open' && leftMs > 0) return { ...view, waitsFor: 'merchant', askAgainMs: leftMs };
  const asks = capabilityOf(viewing, dispute) !== undefined;
  return { ...view, waitsFor: 'provider', ...(asks ? { askAgainMs: disputeInquiryMs } : {}) };
}
