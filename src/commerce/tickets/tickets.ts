import type { Knex } from 'knex';
import { DomainError, found, notFound } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { maskDigits } from '../../foundation/log/mask';
import type { Messenger } from '../../foundation/messages/messenger';
import { tell } from '../../foundation/outbox/outbox';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
import { findPaymentLink, type PaymentLinkRow } from '../payment-links/payment-link';
import { presentConversation } from './present';
import type { Conversation, TicketMessageRow, TicketRow, TicketStatus } from './ticket';

interface TicketScope {
  tenantId: string;
  organizationId?: string;
}

export interface TicketPage extends Page {
  status?: TicketStatus;
  linkId?: string;
}

/** Anybody who has the address of a link can ask: so many questions of one link wait at most. */
const MOST_OPEN = 50;
const MOST_MESSAGES = 100;

/** Questions of buyers, and the answers of sellers. Card numbers that somebody writes down are masked before they are kept. */
export class Tickets {
  private readonly keys: Keyring;

  /** `vaultKeys`: VAULT_KEYS. */
  constructor(
    private readonly database: Database,
    private readonly messenger: Messenger,
    vaultKeys: Keys,
  ) {
    this.keys = new Keyring(vaultKeys, 'ticket');
  }

  /** A buyer asks. The same id again answers the ticket that is there. Throws `rate_limited` when too many wait. */
  ask(link: PaymentLinkRow, question: { id: string; email: string; words: string }): Promise<TicketRow> {
    return this.database.tenant(link.tenant_id, async (trx) => {
      // One after the other for each link, so that they are counted.
      await trx('payment_links').where({ id: link.id }).forUpdate().first('id');
      const known: TicketRow | undefined = await trx('tickets').where({ id: question.id, link_id: link.id }).first();
      if (known) return known;
      const open = await trx('tickets').where({ link_id: link.id, status: 'open' }).pluck('id');
      if (open.length >= MOST_OPEN)
        throw new DomainError('rate_limited', 'Too many questions wait for the seller', { retryAfterSeconds: 3_600 });
      const [ticket]: TicketRow[] = await trx('tickets')
        .insert({
          id: question.id,
          tenant_id: link.tenant_id,
          organization_id: link.organization_id,
          link_id: link.id,
          status: 'open' satisfies TicketStatus,
          email_sealed: this.keys.seal(Buffer.from(question.email), question.id),
        })
        .returning('*');
      await say(trx, ticket!, null, question.words);
      await tell(trx, {
        tenantId: link.tenant_id,
        organizationId: link.organization_id,
        subjectId: question.id,
        type: 'ticket.opened',
        data: presentConversation({ ticket: ticket!, messages: await messagesOf(trx, question.id) }),
      });
      return ticket!;
    });
  }

  /** The buyer has more to say; a closed ticket is open again. Throws `not_found` for the ticket of another link. */
  askAgain(link: PaymentLinkRow, ticketId: string, words: string): Promise<TicketRow> {
    return this.database.tenant(link.tenant_id, async (trx) => {
      const ticket = await lock(trx, ticketId);
      if (ticket.link_id !== link.id) throw notFound('ticket');
      await say(trx, ticket, null, words);
      return move(trx, ticket, 'open');
    });
  }

  /** What a buyer sees of a ticket. Throws `not_found`. */
  ofLink(link: PaymentLinkRow, ticketId: string): Promise<Conversation> {
    return this.database.tenant(link.tenant_id, async (trx) => {
      const ticket = found<TicketRow>(await trx('tickets').where({ id: ticketId, link_id: link.id }).first(), 'ticket');
      return { ticket, messages: await messagesOf(trx, ticketId) };
    });
  }

  /** One more than the page holds, newest first. */
  list({ tenantId, organizationId }: TicketScope, { status, linkId, ...page }: TicketPage): Promise<TicketRow[]> {
    return this.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('tickets'), page);
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      if (linkId) rows.where({ link_id: linkId });
      return rows;
    });
  }

  /** Throws `not_found`. */
  find(scope: TicketScope, ticketId: string): Promise<Conversation> {
    return this.database.tenant(scope.tenantId, async (trx) => {
      const ticket = own(await trx('tickets').where({ id: ticketId }).first(), scope);
      return { ticket, messages: await messagesOf(trx, ticketId) };
    });
  }

  /** The seller answers; the buyer hears of it by e-mail. `url`: the ticket on the buyer's page. Throws `not_found`. */
  async answer(
    scope: TicketScope,
    ticketId: string,
    { words, urlOf }: { words: string; urlOf: (ticket: TicketRow, link: PaymentLinkRow) => string },
    by: Actor,
  ): Promise<Conversation> {
    await this.database.tenant(scope.tenantId, async (trx) => {
      const ticket = own(await lock(trx, ticketId), scope);
      await say(trx, ticket, by.id, words);
      await move(trx, ticket, 'answered');
      const link = await findPaymentLink(trx, ticket.link_id);
      await this.messenger.send(trx, {
        tenantId: ticket.tenant_id,
        channel: 'email',
        to: this.keys.open(ticket.email_sealed, ticket.id).toString(),
        subject: 'An answer to your question',
        text: `The seller has answered your question. To read the answer, open\n\n${urlOf(ticket, link)}`,
      });
      await noteDone(trx, ticket.tenant_id, by, 'ticket.answer', ticketId);
    });
    return this.find(scope, ticketId);
  }

  /** Nothing more is to be said. Throws `not_found`. */
  async close(scope: TicketScope, ticketId: string, by: Actor): Promise<Conversation> {
    await this.database.tenant(scope.tenantId, async (trx) => {
      const ticket = own(await lock(trx, ticketId), scope);
      await move(trx, ticket, 'closed');
      await noteDone(trx, ticket.tenant_id, by, 'ticket.close', ticketId);
    });
    return this.find(scope, ticketId);
  }

  /** Seals up to `limit` addresses anew under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'tickets', column: 'email_sealed' }, limit);
  }
}

function own(ticket: TicketRow | undefined, { organizationId }: TicketScope): TicketRow {
  if (!ticket || (organizationId && ticket.organization_id !== organizationId)) throw notFound('ticket');
  return ticket;
}

async function lock(trx: Knex.Transaction, id: string): Promise<TicketRow> {
  return found<TicketRow>(await trx('tickets').where({ id }).forUpdate().first(), 'ticket');
}

function messagesOf(trx: Knex.Transaction, ticketId: string): Promise<TicketMessageRow[]> {
  return trx('ticket_messages').where({ ticket_id: ticketId }).orderBy('number') as Promise<TicketMessageRow[]>;
}

async function say(trx: Knex.Transaction, ticket: TicketRow, author: string | null, words: string): Promise<void> {
  const { length } = await messagesOf(trx, ticket.id);
  if (length >= MOST_MESSAGES) throw new DomainError('invalid_state', 'This ticket is full; open another one');
  await trx('ticket_messages').insert({
    ticket_id: ticket.id,
    tenant_id: ticket.tenant_id,
    number: length + 1,
    author,
    words: maskDigits(words),
  });
}

async function move(trx: Knex.Transaction, { id }: TicketRow, status: TicketStatus): Promise<TicketRow> {
  const [moved]: TicketRow[] = await trx('tickets')
    .where({ id })
    .update({ status, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return moved!;
}
