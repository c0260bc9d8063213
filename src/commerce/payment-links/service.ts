import type { Knex } from 'knex';
import { DomainError, notFound, refuse } from '../../domain/errors';
import type { PaymentLinkStatus } from '../../domain/states/payment-link';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { extendReservation } from '../orders/steps';
import { type Approver, type Decision, decideOnLink } from './approvals';
import { createPaymentLink, type NewPaymentLink } from './create';
import { proceedWithPaymentLink } from './flow';
import { movePaymentLink } from './move';
import { type DecisionRow, findPaymentLink, type LinkTokens, type PaymentLinkRow } from './payment-link';
import type { LinkShares, ShareOrder, ShareRow } from './share';
import { advancePaymentLink, paymentsOf } from './steps';

/** Whose payment links a request may see; a tenant admin sees those of every organization. */
export interface PaymentLinkScope {
  tenantId: string;
  organizationId?: string;
}

export interface PaymentLinkPage extends Page {
  status?: PaymentLinkStatus;
  purpose?: PaymentLinkRow['purpose'];
  reference?: string;
  orderId?: string;
}

export interface LinkStatistics {
  opened: number;
  tried: number;
  paid: number;
  amountMinor: bigint;
  currency: string;
  byDay: { day: string; opened: number }[];
}

interface LinkParts {
  database: Database;
  engine: Engine;
  tokens: LinkTokens;
  shares: LinkShares;
}

/** What the API does about payment links. What somebody orders is done in the request; the flow shows it and watches the time. */
export class PaymentLinks {
  constructor(private readonly parts: LinkParts) {}

  /** Where buyers pay. */
  urlOf(link: Pick<PaymentLinkRow, 'id' | 'token_digest'>): string {
    return this.parts.tokens.urlOf(link);
  }

  /** The same id again answers the link that is there (a repeat after a crash). Throws `invalid_request`, `invalid_state`. */
  create(scope: Required<PaymentLinkScope>, order: NewPaymentLink, by: Actor): Promise<PaymentLinkRow> {
    return this.change(scope.tenantId, (trx) => createPaymentLink(trx, scope, this.parts.tokens, order, by));
  }

  /** Throws `not_found`. */
  find(scope: PaymentLinkScope, id: string): Promise<{ link: PaymentLinkRow; decisions: DecisionRow[] }> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      const link = await findOwn(trx, scope, id);
      const decisions = await trx('payment_link_decisions').where({ link_id: id }).orderBy('at');
      return { link, decisions };
    });
  }

  /** One more than the page holds, newest first. */
  list(
    { tenantId, organizationId }: PaymentLinkScope,
    { status, purpose, reference, orderId, ...page }: PaymentLinkPage,
  ): Promise<PaymentLinkRow[]> {
    return this.parts.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('payment_links'), page);
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      if (purpose) rows.where({ purpose });
      if (reference) rows.where({ reference });
      if (orderId) rows.where({ order_id: orderId });
      return rows;
    });
  }

  /** See `decideOnLink`. */
  async decide(approver: Approver, id: string, decision: Decision): Promise<PaymentLinkRow> {
    const link = await decideOnLink(this.parts, approver, id, decision);
    await this.tell(link);
    return link;
  }

  /** Nobody can begin to pay by it any more; who pays already goes on. Throws `not_found`, `invalid_state`. */
  disable(scope: PaymentLinkScope, id: string, by: Actor): Promise<PaymentLinkRow> {
    return this.act(scope, id, by, 'disable', (trx, link) =>
      movePaymentLink(trx, this.parts.tokens, link, 'disabled', 'The seller has disabled it.'),
    );
  }

  /** Buyers can pay again. Throws `not_found`, `invalid_state`. */
  enable(scope: PaymentLinkScope, id: string, by: Actor): Promise<PaymentLinkRow> {
    return this.act(scope, id, by, 'enable', (trx, link) => {
      if (link.status !== 'disabled')
        throw new DomainError('invalid_state', `This payment link is ${link.status}, not disabled`);
      return movePaymentLink(trx, this.parts.tokens, link, 'active', 'Buyers can pay.');
    });
  }

  /** Throws `not_found`, `invalid_state` (it is over) and `invalid_request` (not in the future). */
  changeExpiry(scope: PaymentLinkScope, id: string, expiresAt: Date, by: Actor): Promise<PaymentLinkRow> {
    if (expiresAt.getTime() <= Date.now()) refuse('expiresAt', 'must be in the future');
    return this.act(scope, id, by, 'change_expiry', async (trx, link) => {
      if (!['pending_approval', 'active', 'disabled'].includes(link.status))
        throw new DomainError('invalid_state', `This payment link is ${link.status}; create a new one`);
      const [changed]: PaymentLinkRow[] = await trx('payment_links')
        .where({ id })
        .update({ expires_at: expiresAt, updated_at: trx.raw('clock_timestamp()') })
        .returning('*');
      if (link.order_id) await extendReservation(trx, link.order_id, expiresAt);
      return changed!;
    });
  }

  /** Sends it to a buyer. Throws `not_found`, `invalid_state` when nobody can pay by it. */
  share(scope: PaymentLinkScope, id: string, order: ShareOrder, by: Actor): Promise<ShareRow> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      const link = await findOwn(trx, scope, id, { lock: true });
      const known: ShareRow | undefined = await trx('payment_link_shares').where({ id: order.id }).first();
      return known ?? this.parts.shares.share(trx, link, this.urlOf(link), order, by);
    });
  }

  /** Sends it once more. Throws `not_found`, `invalid_state`. */
  shareAgain(scope: PaymentLinkScope, id: string, shareId: string, by: Actor): Promise<ShareRow> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      const link = await findOwn(trx, scope, id, { lock: true });
      return this.parts.shares.resend(trx, link, this.urlOf(link), shareId, by);
    });
  }

  /** One more than the page holds, newest first. Throws `not_found`. */
  listShares(scope: PaymentLinkScope, id: string, page: Page): Promise<ShareRow[]> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      await findOwn(trx, scope, id);
      return paged(trx('payment_link_shares').where({ link_id: id }), page);
    });
  }

  /** How often it was opened, tried and paid. Throws `not_found`. */
  statistics(scope: PaymentLinkScope, id: string): Promise<LinkStatistics> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      const link = await findOwn(trx, scope, id);
      const byDay: LinkStatistics['byDay'] = await trx('payment_link_opens')
        .where({ link_id: id })
        .orderBy('day')
        .select(trx.raw('day::text'), 'opened');
      const { tried, paid } = await paymentsOf(trx, link);
      const sum = await trx('payments').where({ link_id: id }).sum('captured_minor as captured').first();
      return {
        opened: byDay.reduce((total, { opened }) => total + opened, 0),
        tried,
        paid,
        amountMinor: BigInt(sum?.captured ?? 0),
        currency: link.currency,
        byDay,
      };
    });
  }

  /** Locks a link, changes it, looks at it anew and tells its flow. */
  private act(
    scope: PaymentLinkScope,
    id: string,
    by: Actor,
    action: string,
    work: (trx: Knex.Transaction, link: PaymentLinkRow) => Promise<PaymentLinkRow>,
  ): Promise<PaymentLinkRow> {
    return this.change(scope.tenantId, async (trx) => {
      const link = await findOwn(trx, scope, id, { lock: true });
      const changed = await work(trx, link);
      await noteDone(trx, scope.tenantId, by, `payment_link.${action}`, id);
      return advancePaymentLink(trx, this.parts.tokens, changed);
    });
  }

  private async change(
    tenantId: string,
    write: (trx: Knex.Transaction) => Promise<PaymentLinkRow>,
  ): Promise<PaymentLinkRow> {
    const link = await this.parts.database.tenant(tenantId, write);
    await this.tell(link);
    return link;
  }

  /** What is written down holds; with the engine away the flow hears of it when something is due. */
  private tell(link: PaymentLinkRow): Promise<boolean> {
    const { engine } = this.parts;
    return wake(engine, () => proceedWithPaymentLink(engine, link));
  }
}

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(
  trx: Knex.Transaction,
  { organizationId }: PaymentLinkScope,
  id: string,
  options: { lock?: boolean } = {},
): Promise<PaymentLinkRow> {
  const link = await findPaymentLink(trx, id, options);
  if (organizationId && link.organization_id !== organizationId) throw notFound('payment link');
  return link;
}
