import type { Conversation, TicketRow } from './ticket';

/** A ticket as the API shows it. */
export function presentTicket(ticket: TicketRow): Record<string, unknown> {
  return {
    ticketId: ticket.id,
    linkId: ticket.link_id,
    status: ticket.status,
    createdAt: ticket.created_at,
    updatedAt: ticket.updated_at,
  };
}

/** A ticket with what was said. */
export function presentConversation({ ticket, messages }: Conversation): Record<string, unknown> {
  return {
    ...presentTicket(ticket),
    messages: messages.map(({ author, words, at }) => ({
      from: author === null ? 'buyer' : 'seller',
      ...(author !== null && { author }),
      text: words,
      at,
    })),
  };
}
