import type { DisputeAnswer, DisputeCapability, ProcessorId } from '../../domain/connector';
import type { Database } from '../../foundation/db/database';
import type { DisputeOperationRow, DisputeRow } from './dispute';
import type { EvidenceSeal } from './evidence';

export interface Contesting {
  database: Database;
  evidence: EvidenceSeal;
  connectors: { get(processor: ProcessorId): { readonly disputes?: DisputeCapability } };
}

/** What the processor of a dispute can do for it; undefined where it has no API for disputes. */
export function capabilityOf(
  { connectors }: Pick<Contesting, 'connectors'>,
  { processor }: DisputeRow,
): DisputeCapability | undefined {
  return connectors.get(processor).disputes;
}

/** Sends the order of a merchant for a dispute. Every repeat uses the same key. */
export function sendDisputeOperation(
  deps: Contesting,
  capability: DisputeCapability,
  dispute: DisputeRow,
  operation: DisputeOperationRow,
): Promise<DisputeAnswer> {
  const call = { caseId: dispute.case_id, idempotencyKey: `dispute/${dispute.id}/${operation.id}` };
  switch (operation.kind) {
    case 'acceptance':
      return capability.accept(call);
    case 'second_presentment':
      return capability.present(call);
    case 'evidence':
      return sendEvidence(deps, capability, call, operation);
  }
}

async function sendEvidence(
  { database, evidence }: Contesting,
  capability: DisputeCapability,
  call: { caseId: string; idempotencyKey: string },
  { id, tenant_id }: DisputeOperationRow,
): Promise<DisputeAnswer> {
  const { sealed } = await database.tenant(tenant_id, (trx) => trx('dispute_evidence').where({ id }).first('sealed'));
  return capability.submitEvidence({ ...call, evidenceReference: id, ...evidence.open(id, sealed) });
}
