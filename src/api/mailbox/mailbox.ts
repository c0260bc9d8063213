import { DomainError } from '../../domain/errors';

/** An e-mail or SMS that the sandbox has sent, as the simulator's mailbox keeps it. */
export interface Letter {
  id: string;
  channel: 'email' | 'sms';
  from: string;
  to: string;
  subject?: string;
  text: string;
  receivedAt: string;
}

/** Reads letters, newest first. `to` selects the letters to one address or number. */
export type ReadMailbox = (to: string | undefined, limit: number) => Promise<Letter[]>;

const TIMEOUT_MS = 3_000;

/** The mailbox of the simulator at this address. Rejects with `unavailable` while it is away. */
export function mailboxOf(simulatorUrl: string): ReadMailbox {
  return async (to, limit) => {
    const query = new URLSearchParams({ limit: String(limit), ...(to && { to }) });
    try {
      const response = await fetch(`${simulatorUrl}/sim/mailbox?${query}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new Error(`the mailbox answers ${response.status}`);
      return ((await response.json()) as { data: Letter[] }).data;
    } catch (error) {
      throw new DomainError('unavailable', 'The mailbox is temporarily unavailable. Try again shortly', {
        cause: error,
      });
    }
  };
}
