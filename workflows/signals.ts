import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CancelOrder, CaptureOrder, OperatorNote, OperatorResolution, PaymentView } from '../src/domain/flows';

/** The inbox has a verified callback about this flow under this id. */
export const callbackArrived = defineSignal<[string]>('callbackArrived');
/** Ops: ask the processor now instead of at the next scheduled time. */
export const retryNow = defineSignal<[OperatorNote]>('retryNow');
/** Something waits to be sent, or the flow was lost: the flow reads Postgres and goes on. */
export const proceed = defineSignal('proceed');
/** The time of whoever is waited for is up, or the processor is to be asked meanwhile: by `payments.flow_due_at`. */
export const due = defineSignal('due');
/** Whoever delivered a callback has taken the step that ended the payment: how it stands. */
export const ended = defineSignal<[PaymentView]>('ended');
/** Ops: cancel a payment that is not captured. */
export const cancelNow = defineSignal<[OperatorNote]>('cancelNow');
/** Ops: the outcome of a payment that the processor's API does not tell. Ops asked the processor in another way. */
export const resolveUnknown = defineSignal<[OperatorResolution]>('resolveUnknown');
export const capture = defineUpdate<PaymentView, [CaptureOrder]>('capture');
export const cancel = defineUpdate<PaymentView, [CancelOrder]>('cancel');
export const currentView = defineQuery<unknown>('currentView');
