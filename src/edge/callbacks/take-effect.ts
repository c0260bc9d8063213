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
  const row = await inbox.read(inboxId);
  if (!row) throw notFound('callback');
  if ((CALLBACK_ENDS as readonly string[]).includes(row.state)) return handled();
  const { view, end, detail } = await hear(callbackOf(row));
  if (end) await inbox.mark(inboxId, end, detail);
  return view;
}

/** A row of the inbox as the areas take it. */
export function callbackOf(row: InboxRow): Callback {
  const { id, processor, event_id: eventId, reference, event } = row;
  return { id, processor, eventId, reference, event: { ...event, money: moneyOf(event) } };
}
