import Joi from 'joi';
import type { NotificationFilter, ResendWindow } from '../../edge/notifications/service';
import { disputeSchema } from '../records/dispute';
import { paymentRecordSchema } from '../records/payment';
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
  paymentId: id('payment').description('Absent for a test'),
  terminalId: Joi.string().required(),
  url: Joi.string().required(),
  state: state().required().description('`failed`: the last attempt failed. You can send the notification again'),
  attempts: Joi.array().items(attemptSchema).required().description('Oldest first'),
  nextAttemptAt: instant().description('Absent if no further attempt is planned'),
  createdAt: instant().required(),
  deliveredAt: instant(),
});

const testDataSchema = Joi.object({
  organizationId: id('organization').required(),
  terminalId: Joi.string().required(),
  message: Joi.string().required(),
});

/** One notification with the body that was signed and sent. */
export const wholeNotificationSchema = notificationSchema.keys({
  body: Joi.object({
    id: id('notification').required(),
    type: notificationType().required(),
    createdAt: instant().required(),
    data: Joi.alternatives(paymentRecordSchema.keys({ dispute: disputeSchema }), topupSchema, testDataSchema)
      .required()
      .description('The payment or top-up as it was at that time. For `test.ping` a message'),
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
