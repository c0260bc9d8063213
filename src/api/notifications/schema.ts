import Joi from 'joi';
import type { NotificationFilter, ResendWindow } from '../../edge/notifications/service';
import { disputeSchema } from '../records/dispute';
import { paymentRecordSchema } from '../records/payment';
import { topupSchema } from '../records/topup';
import { id, instant, notificationType, paging, webUrl } from '../server/conventions';

const state = () => Joi.string().valid('pending', 'delivered', 'failed');

const attemptSchema = Joi.object({
  at: instant().required(),
  status: Joi.number().integer().description('Of the answer, where one came'),
  error: Joi.string().description('Why it does not count as delivered'),
  durationMs: Joi.number().integer().required(),
});

export const notificationSchema = Joi.object({
  notificationId: id('notification').required(),
  type: notificationType().required(),
  paymentId: id('payment').description('Absent on a test'),
  terminalId: Joi.string().required(),
  url: Joi.string().required(),
  state: state().required().description('`failed`: given up after the last try; it can be sent again'),
  attempts: Joi.array().items(attemptSchema).required().description('Oldest first'),
  nextAttemptAt: instant().description('Absent when nothing more will be sent by itself'),
  createdAt: instant().required(),
  deliveredAt: instant(),
});

const testDataSchema = Joi.object({
  organizationId: id('organization').required(),
  terminalId: Joi.string().required(),
  message: Joi.string().required(),
});

/** One notification with what was signed and sent. */
export const wholeNotificationSchema = notificationSchema.keys({
  body: Joi.object({
    id: id('notification').required(),
    type: notificationType().required(),
    createdAt: instant().required(),
    data: Joi.alternatives(paymentRecordSchema.keys({ dispute: disputeSchema }), topupSchema, testDataSchema)
      .required()
      .description('The payment or top-up as it was then; of `test.ping` a message'),
  }).required(),
});

/** Anything may stand there; what is not ours is not found. */
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
  from: instant().description('Written at this time or later'),
  to: instant().description('Written before this time'),
});

export const resendWindowBody = Joi.object<ResendWindow>({
  from: instant().required().description('Written at this time or later'),
  to: instant().required().description('Written before this time'),
  state: state().description('Absent: whatever became of them'),
});

export interface TestBody {
  url: string;
  terminalId?: string;
}
export const testBody = Joi.object<TestBody>({
  url: webUrl().required(),
  terminalId: Joi.string().max(64).description('Whose callback secret signs it; absent: the first merchant account'),
});
