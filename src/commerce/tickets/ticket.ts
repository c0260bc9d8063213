export const TICKET_STATUSES = ['open', 'answered', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** One row of `tickets`: the question of a buyer. */
export interface TicketRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  link_id: string;
  /** `open`: the seller has to answer. */
  status: TicketStatus;
  email_sealed: Buffer;
  created_at: Date;
  updated_at: Date;
}

export interface TicketMessageRow {
  ticket_id: string;
  tenant_id: string;
  number: number;
  /** Null: the buyer. */
  author: string | null;
  words: string;
  at: Date;
}

/** A ticket with what was said, in its order. */
export interface Conversation {
  ticket: TicketRow;
  messages: TicketMessageRow[];
}
