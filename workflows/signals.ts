import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CancelOrder, CaptureOrder, OperatorNote, OperatorResolution, PaymentView } from '../src/domain/flows';

/** The inbox has a verified callback about this flow under this id. */
export const callbackArrived = defineSignal<[string]>('callbackArrived');
/** Ops: ask the processor now instead of at the next scheduled time. */
export const retryNow = defineSignal<[OperatorNote]>('retryNow');
/**
 * Something waits to be sent, somebody else has taken a step, or the flow was lost: the flow reads Postgres and goes on. Of a
 * payment that has ended it is told how it stands, and has nothing to read; versions before do not look at that.
 */
export const proceed = defineSignal<[ended?: PaymentView]>('proceed');
/** The time of whoever is waited for is up, or the processor is to be asked meanwhile: by `payments.flow_due_at`. */
export const due = defineSignal('due');
/** Ops: cancel a payment that is not captured. */
export const cancelNow = defineSignal<[OperatorNote]>('cancelNow');
/** Ops: the outcome of a payment that the processor's API does not tell. Ops asked the processor in another way. */
export const resolveUnknown = defineSignal<[OperatorResolution]>('resolveUnknown');
export const capture = defineUpdate<PaymentView, [CaptureOrder]>('capture');
export const cancel = defineUpdate<PaymentView, [CancelOrder]>('cancel');
export const currentView = defineQuery<unknown>('currentView');
