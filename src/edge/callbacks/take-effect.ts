import { CALLBACK_ENDS, type Callback, type CallbackEffect } from '../../domain/callback';
import { notFound } from '../../domain/errors';
import { type Inbox, type InboxRow, moneyOf } from './inbox';

/**
 * Lets a callback take its effect once, even if it is delivered twice: the area that it is about `hears` it, and what
 * became of it is noted after that. One that was handled before changes nothing: `handled` answers then. Throws `not_found`
 * for a callback that was never stored.
 */
export async function takeEffect<View>(
  inbox: Inbox,
  inboxId: string,
  hear: (callback: Callback) => Promise<CallbackEffect<View>>,
  handled: () => Promise<View>,
): Promise<View> {
  return noteEffect(inbox, inboxId, await effectOf(await inbox.read(inboxId), hear, handled));
}

/** The effect itself, for a callback that was read with what it is about. What became of the callback is left to note. */
export async function effectOf<View>(
  row: Heard | undefined,
  hear: (callback: Callback) => Promise<CallbackEffect<View>>,
  handled: () => Promise<View>,
): Promise<CallbackEffect<View>> {
  if (!row) throw notFound('callback');
  if ((CALLBACK_ENDS as readonly string[]).includes(row.state)) return { view: await handled() };
  return hear(callbackOf(row));
}

/** Notes what became of a callback, unless that was noted with what it changed. */
export async function noteEffect<View>(
  inbox: Inbox,
  inboxId: string,
  { view, end, detail, isNoted }: CallbackEffect<View>,
): Promise<View> {
  if (end && !isNoted) await inbox.mark(inboxId, end, detail);
  return view;
}

/** What of a row of the inbox concerns the one whom it is about. */
export type Heard = Pick<InboxRow, 'id' | 'processor' | 'event_id' | 'reference' | 'event' | 'state'>;

/** A row of the inbox as the areas take it. */
export function callbackOf(row: Omit<Heard, 'state'>): Callback {
  const { id, processor, event_id: eventId, reference, event } = row;
  return { id, processor, eventId, reference, event: { ...event, money: moneyOf(event) } };
}
