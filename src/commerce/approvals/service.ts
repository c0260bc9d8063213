import { DomainError, found, notFound } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { completeFiles } from '../../foundation/files/file-store';
import type { DocumentRow } from '../../people/customers/documents';
import type { KycService } from '../../people/kyc/service';
import type { Inventory } from '../inventory/service';
import type { PaymentLinks } from '../payment-links/service';
import type { AccountRow } from '../payouts/account';
import type { PayoutAccounts } from '../payouts/accounts';
import { type ApprovalKind, type Subject, subjectOf, type WaitingRow } from './approval';
import { listWaiting, type WaitingFilter } from './waiting';

export interface BulkDecision {
  decision: 'approve' | 'reject';
  /** Required of a rejection. */
  reason?: string;
}

/** One of several decisions, as it went. `status`: of what it was about, once it took effect. */
export type Outcome = { approvalId: string; status: string } | { approvalId: string; error: DomainError };

/** A tenant admin who decides. */
interface Admin {
  tenantId: string;
  by: Actor;
}

/** How one kind is decided about, by the service that it belongs to. Answers the status that it has then. */
interface Decider {
  decide(admin: Admin, subject: Subject, decision: BulkDecision): Promise<string>;
  /** The status, where this admin has made the same decision before; undefined: somebody else, or another one. */
  known(admin: Admin, subject: Subject, decision: BulkDecision): Promise<string | undefined>;
}

interface Parts {
  database: Database;
  inventory: Inventory;
  paymentLinks: PaymentLinks;
  verification: KycService;
  payoutAccounts: PayoutAccounts;
}

/** Decisions at a time: those about documents wait a moment for a flow. */
const AT_ONCE = 4;

/** One list of everything that waits for a tenant admin, and decisions about it. */
export class Approvals {
  private readonly deciders: Record<ApprovalKind, Decider>;

  constructor(private readonly parts: Parts) {
    this.deciders = {
      item: items(parts),
      payment_link: links(parts),
      document: documents(parts),
      customer: customers(parts),
      payout_account: accounts(parts),
    };
  }

  /** What has waited longest first; one more than the page holds. */
  list(tenantId: string, filter: WaitingFilter): Promise<WaitingRow[]> {
    return this.parts.database.tenant(tenantId, (trx) => listWaiting(trx, tenantId, filter));
  }

  /**
   * Decides about several, each for itself: one that cannot be decided does not stop the others. One that the same admin has
   * decided so before counts as done, so that a repeat after a crash answers the same. In the order of the request.
   */
  async decideAll(admin: Admin, approvalIds: readonly string[], decision: BulkDecision): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let next = 0;
    const inTurn = async () => {
      while (next < approvalIds.length) {
        const place = next;
        next += 1;
        outcomes[place] = await this.decide(admin, approvalIds[place]!, decision);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    return outcomes;
  }

  private async decide(admin: Admin, approvalId: string, decision: BulkDecision): Promise<Outcome> {
    const subject = subjectOf(approvalId);
    if (!subject) return { approvalId, error: notFound('approval') };
    const decider = this.deciders[subject.kind];
    try {
      return { approvalId, status: await decider.decide(admin, subject, decision) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const status = error.code === 'invalid_state' ? await decider.known(admin, subject, decision) : undefined;
      return status === undefined ? { approvalId, error } : { approvalId, status };
    }
  }
}

function items({ inventory }: Parts): Decider {
  const became = { approve: 'approved', reject: 'rejected' } as const;
  return {
    async decide({ tenantId, by }, { id, mark }, { decision, reason }) {
      const decided = { decision: became[decision], version: Number(mark), ...(decision === 'reject' && { reason }) };
      return (await inventory.decide({ tenantId }, id, decided, by)).row.status;
    },
    async known({ tenantId, by }, { id, mark }, { decision }) {
      const { row } = await inventory.find({ tenantId }, id);
      const isSame = row.status === became[decision] && row.decided_by === by.id && `${row.version}` === mark;
      return isSame ? row.status : undefined;
    },
  };
}

function links({ paymentLinks }: Parts): Decider {
  return {
    async decide({ tenantId, by }, { id }, decision) {
      return (await paymentLinks.decide({ tenantId, isAdmin: true, by }, id, decision)).status;
    },
    async known({ tenantId, by }, { id }, { decision }) {
      const { link, decisions } = await paymentLinks.find({ tenantId }, id);
      const own = decisions.find(({ decided_by }) => decided_by === by.id);
      return own?.decision === decision ? link.status : undefined;
    },
  };
}

function documents({ database, verification }: Parts): Decider {
  const became = { approve: 'verified', reject: 'rejected' } as const;
  const find = ({ tenantId }: Admin, { id }: Subject) =>
    database.tenant(tenantId, async (trx) =>
      found<Pick<DocumentRow, 'customer_id' | 'status' | 'reviewed_by'>>(
        await trx('customer_documents').where({ id }).first('customer_id', 'status', 'reviewed_by'),
        'document',
      ),
    );
  const hasFile = ({ tenantId }: Admin, { id }: Subject) =>
    database.tenant(tenantId, (trx) => completeFiles(trx).where({ document_id: id }).first('id'));
  return {
    async decide(admin, subject, { decision, reason }) {
      const place = {
        tenantId: admin.tenantId,
        customerId: (await find(admin, subject)).customer_id,
        documentId: subject.id,
      };
      if (!subject.mark && (await hasFile(admin, subject)))
        throw new DomainError('invalid_state', 'A file was added since: look at it first');
      const verdict = { status: became[decision], reason, fileId: subject.mark };
      return (await verification.review(place, verdict, admin.by)).row.status;
    },
    async known(admin, subject, { decision }) {
      const { status, reviewed_by } = await find(admin, subject);
      return status === became[decision] && reviewed_by === admin.by.id ? status : undefined;
    },
  };
}

function customers({ verification }: Parts): Decider {
  return {
    async decide({ tenantId, by }, { id, mark = '' }, { decision, reason = 'Approved.' }) {
      if (decision === 'reject')
        throw new DomainError('invalid_state', 'A customer is not rejected: reject a document, or change the status');
      return (await verification.changeStatus(tenantId, id, { status: 'verified', reason, seen: mark }, by)).status;
    },
    async known({ tenantId, by }, { id }, { decision }) {
      const last = (await verification.events(tenantId, id)).at(-1);
      const isSame = decision === 'approve' && last?.to_status === 'verified' && last.actor === by.id;
      return isSame ? last.to_status : undefined;
    },
  };
}

function accounts({ database, payoutAccounts }: Parts): Decider {
  const ownerOf = ({ tenantId }: Admin, { id }: Subject): Promise<{ tenantId: string; organizationId: string }> =>
    database.tenant(tenantId, async (trx) => {
      const row = found<Pick<AccountRow, 'organization_id'>>(
        await trx('payout_accounts').where({ id }).first('organization_id'),
        'account',
      );
      return { tenantId, organizationId: row.organization_id };
    });
  return {
    async decide(admin, subject, { decision }) {
      const owner = await ownerOf(admin, subject);
      if (decision === 'reject')
        throw new DomainError('invalid_state', 'An account is not rejected: block the accounts of the seller');
      return (await payoutAccounts.verify(owner, admin.by, subject.id)).status;
    },
    async known(admin, subject, { decision }) {
      const { history } = await payoutAccounts.find(await ownerOf(admin, subject));
      const row = history.find(({ id }) => id === subject.id);
      return decision === 'approve' && row?.status === 'verified' ? row.status : undefined;
    },
  };
}
