import type { ProcessorEvent, ProcessorId } from './connector';

/** A callback that was verified and stored, as the area that it is about hears it. */
export interface Callback {
  /** Of its row in the inbox. */
  id: string;
  processor: ProcessorId;
  eventId: string;
  /** Our id of what it is about, once that is established: the event itself may name it otherwise. */
  reference: string;
  event: ProcessorEvent;
}

export const CALLBACK_ENDS = ['applied', 'ignored', 'flagged'] as const;
/** What became of a callback. `flagged`: it changed nothing, and somebody should look at it. */
export type CallbackEnd = (typeof CALLBACK_ENDS)[number];

/** What hearing a callback came to. `end` is absent while there is more to be done with the same callback. */
export interface CallbackEffect<View> {
  view: View;
  end?: CallbackEnd;
  /** Why, in words. */
  detail?: string;
  /** That was noted with what it changed. */
  isNoted?: boolean;
}
