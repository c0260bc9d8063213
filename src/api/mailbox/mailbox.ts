import { askSimulator } from './simulator';

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

/** The mailbox of the simulator at this address. Rejects with `unavailable` while it is away. */
export function mailboxOf(simulatorUrl: string): ReadMailbox {
  return async (to, limit) => {
    const query = new URLSearchParams({ limit: String(limit), ...(to && { to }) });
    return (await askSimulator<{ data: Letter[] }>(simulatorUrl, `/sim/mailbox?${query}`, 'The mailbox')).data;
  };
}
