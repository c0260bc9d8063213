import Joi from 'joi';
import type { NotificationFilter, ResendWindow } from '../../edge/notifications/service';
import { disputeSchema } from '../records/dispute';
import { itemSchema } from '../records/item';
import { orderSchema } from '../records/order';
import { paymentRecordSchema } from '../records/payment';
import { paymentLinkSchema } from '../records/payment-link';
import { payoutSchema } from '../records/payout';
import { conversationSchema } from '../records/ticket';
import { topupSchema } from '../records/topup';
import { id, instant, notificationType, paging, webUrl } from '../server/conventions';

const state = () => Joi.string().valid('pending', 'delivered', 'failed');

const attemptSchema = Joi.object({
  at: instant().required(),
  status: Joi.number().integer().description('HTTP status of the answer. Absent if no answer came'),
  error: Joi.string().description('Why the attempt failed'),
  durationMs: Joi.number().integer().required(),
});

export const notificationSchema = Joi.object({
  notificationId: id('notification').required(),
  type: notificationType().required(),
  subjectId: Joi.string().description('What it is about: a payment, a payout, and so on. Absent for a test'),
  paymentId: id('payment').description('Present if it is about a payment'),
  endpointId: id('notificationEndpoint').description('Absent if it is for the `notificationUrl` of the payment'),
  terminalId: Joi.string().description('The merchant account of the payment'),
  url: Joi.string().required(),
  state: state().required().description('`failed`: the last attempt failed. You can send the notification again'),
  attempts: Joi.array().items(attemptSchema).required().description('Oldest first'),
  nextAttemptAt: instant().description('Absent if no further attempt is planned'),
  createdAt: instant().required(),
  deliveredAt: instant(),
});

const testDataSchema = Joi.object({
  organizationId: id('organization').required(),
  terminalId: Joi.string().description('The merchant account whose callback secret signs'),
  endpointId: id('notificationEndpoint').description('The endpoint whose secret signs'),
  message: Joi.string().required(),
});

/** One notification with the body that was signed and sent. */
export const wholeNotificationSchema = notificationSchema.keys({
  body: Joi.object({
    id: id('notification').required(),
    type: notificationType().required(),
    createdAt: instant().required(),
    data: Joi.alternatives(
      paymentRecordSchema.keys({ dispute: disputeSchema }),
      topupSchema,
      payoutSchema,
      paymentLinkSchema,
      itemSchema,
      orderSchema,
      conversationSchema,
      testDataSchema,
    )
      .required()
      .description('The record that `type` is about, as it was at that time. For `test.ping` a message'),
  }).required(),
});

/** Any text passes here. An unknown id is answered with 404. */
export const notificationParams = Joi.object<{ notificationId: string }>({
  notificationId: Joi.string().max(100).required(),
});
export interface NotificationParams {
  notificationId: string;
}

export const notificationListQuery = Joi.object<NotificationFilter>({
  ...paging(),
  paymentId: Joi.string().max(100),
  subjectId: Joi.string().max(100).description('What they are about: a payment, a payout, and so on'),
  endpointId: Joi.string().max(100).description('Only those for this endpoint'),
  state: state(),
  type: Joi.string().max(64),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
});

export const resendWindowBody = Joi.object<ResendWindow>({
  from: instant().required().description('Created at this time or later'),
  to: instant().required().description('Created before this time'),
  state: state().description('If absent, notifications in any state'),
});

export interface TestBody {
  url: string;
  terminalId?: string;
}
export const testBody = Joi.object<TestBody>({
  url: webUrl().required(),
  terminalId: Joi.string()
    .max(64)
    .description('The merchant account whose callback secret signs the test. Default: the first one'),
});
