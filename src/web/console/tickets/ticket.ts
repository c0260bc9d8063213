import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Ticket = RecordOf<'/payment-links/1.0.0/tickets'>;
export type Conversation = Answer<'/payment-links/1.0.0/tickets/{ticketId}'>;

/** A new status of the API does not compile before it has a tone. */
export const TICKET_TONES: Record<Ticket['status'], Tone> = { open: 'waiting', answered: 'moving', closed: 'plain' };
