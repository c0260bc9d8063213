import Joi from 'joi';
import { ALIAS_FORM, ALIAS_TYPES, parseAlias } from '../../domain/alias';
import { ID_PREFIXES } from '../../domain/ids';
import { REQUEST_STATUSES, type RequestStatus } from '../../domain/states/money-request';
import { SCHEDULE_STATUSES, type ScheduleStatus } from '../../domain/states/schedule';
import { TRANSFER_STATUSES, type TransferStatus } from '../../domain/states/transfer';
import { PAYERS } from '../../money/fees/fee';
import { FREQUENCIES, type Frequency } from '../../money/p2p/occurrences';
import { amount, anyId, currency, id, instant, paging, say, text } from '../server/conventions';

export interface AliasBody {
  alias: string;
}
export interface EnrollBody extends AliasBody {
  acceptEach?: boolean;
}
export interface PreferencesBody {
  acceptEach: boolean;
}
export interface ReasonBody {
  reason?: string;
}

const LONGEST_ALIAS = 254;
const alias = () =>
  Joi.string()
    .max(LONGEST_ALIAS)
    .custom((value: string, helpers) => (parseAlias(value) ? value : say(helpers, ALIAS_FORM)))
    .description('E-mail address, telephone number in international form, or handle')
    .example('@ada');
const acceptEach = () => Joi.boolean().description('Every transfer to this customer waits until it is accepted');
export const note = () => text(140).description('For sender and recipient to read');
const expiresAt = () => instant().description('Until when it waits; never later than the setting allows');

export const enrollBody = Joi.object<EnrollBody>({ alias: alias().required(), acceptEach: acceptEach() });
export const aliasBody = Joi.object<AliasBody>({ alias: alias().required() });
export const preferencesBody = Joi.object<PreferencesBody>({ acceptEach: acceptEach().required() });
export const reasonBody = Joi.object<ReasonBody>({ reason: Joi.string().min(1).max(200) });

export interface AliasParams {
  customerId: string;
  aliasId: string;
}
export const aliasParams = Joi.object<AliasParams>({
  customerId: anyId(),
  aliasId: anyId(),
});

export const memberSchema = Joi.object({
  customerId: id('customer').required(),
  status: Joi.string().valid('active', 'suspended').required(),
  acceptEach: acceptEach().required(),
  aliases: Joi.array()
    .items(
      Joi.object({
        aliasId: id('alias').required(),
        type: Joi.string()
          .valid(...ALIAS_TYPES)
          .required(),
        alias: Joi.string().required(),
        createdAt: instant().required(),
      }),
    )
    .required(),
  enrolledAt: instant().required(),
  suspendedAt: instant(),
  suspendedBy: Joi.string().valid('customer', 'tenant').description('`tenant`: only the tenant can resume it'),
  suspensionReason: Joi.string(),
});

/** A customer of the tenant by its id, or an alias. */
const CUSTOMER_ID = new RegExp(`^${ID_PREFIXES.customer}_`);
const customerId = id('customer');
export const somebody = () =>
  Joi.string()
    .max(LONGEST_ALIAS)
    .custom((value: string, helpers) => {
      const isKnown = CUSTOMER_ID.test(value) ? !customerId.validate(value).error : parseAlias(value);
      return isKnown ? value : say(helpers, `must be a customerId; or ${ALIAS_FORM.replace('must be ', '')}`);
    })
    .description('A customerId, or an alias: e-mail address, telephone number in international form, handle')
    .example('@grace');

export interface TransferBody {
  senderId: string;
  recipient: string;
  amount: string;
  currency: string;
  note?: string;
  expiresAt?: string;
}
export const transferBody = Joi.object<TransferBody>({
  senderId: id('customer').required(),
  recipient: somebody().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  expiresAt: expiresAt(),
});

export interface TransferParams {
  transferId: string;
}
export const transferParams = Joi.object<TransferParams>({ transferId: anyId() });

const transferStatus = () => Joi.string().valid(...TRANSFER_STATUSES);

export interface TransferFilterQuery {
  customerId?: string;
  direction?: 'sent' | 'received';
  status?: TransferStatus;
  currency?: string;
  scheduleId?: string;
  from?: string;
  to?: string;
}
export interface TransferQuery extends TransferFilterQuery {
  limit: number;
  cursor?: string;
}
const transferFilter = () => ({
  customerId: id('customer').description('Sender or recipient'),
  direction: Joi.string().valid('sent', 'received').description('With `customerId`, or as a customer'),
  status: transferStatus(),
  currency: currency(),
  scheduleId: id('transferSchedule'),
  from: instant().description('Created then or later'),
  to: instant().description('Created before'),
});
export const transferQuery = Joi.object<TransferQuery>({ ...paging(), ...transferFilter() });
export const exportQuery = Joi.object<TransferFilterQuery>(transferFilter());

export const transferSchema = Joi.object({
  transferId: id('transfer').required(),
  tenantId: Joi.string().required(),
  status: transferStatus().required(),
  statusDetail: Joi.string().required(),
  senderId: id('customer').required(),
  recipientId: id('customer').description('Absent until somebody has joined'),
  recipient: Joi.string().required().description('As the sender named it; an address is shortened'),
  amount: amount().required(),
  currency: currency().required(),
  fee: amount({ zero: true }).required(),
  feePayer: Joi.string()
    .valid(...PAYERS)
    .required(),
  netAmount: amount({ zero: true }).required().description('What arrives'),
  note: text(140),
  expiresAt: instant().description('Of one that waits or waited'),
  settledAt: instant(),
  requestId: id('moneyRequest').description('The request for money it paid'),
  scheduleId: id('transferSchedule').description('The schedule that made it'),
  scheduledFor: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const transferEventSchema = Joi.object({
  from: transferStatus().description('Absent on the first'),
  to: transferStatus().required(),
  detail: Joi.string().required(),
  actor: Joi.string().required().description('Client, user or customer; `flow`: nobody'),
  at: instant().required(),
});

export interface MoneyRequestBody {
  requesterId: string;
  payer: string;
  amount: string;
  currency: string;
  note?: string;
  expiresAt?: string;
}
export const moneyRequestBody = Joi.object<MoneyRequestBody>({
  requesterId: id('customer').required(),
  payer: somebody().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  expiresAt: expiresAt(),
});

export interface RequestParams {
  requestId: string;
}
export const requestParams = Joi.object<RequestParams>({ requestId: anyId() });

const requestStatus = () => Joi.string().valid(...REQUEST_STATUSES);
export interface RequestQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  direction?: 'sent' | 'received';
  status?: RequestStatus;
}
export const requestQuery = Joi.object<RequestQuery>({
  ...paging(),
  customerId: id('customer').description('Requester or payer'),
  direction: Joi.string().valid('sent', 'received').description('With `customerId`, or as a customer'),
  status: requestStatus(),
});
export const moneyRequestSchema = Joi.object({
  requestId: id('moneyRequest').required(),
  tenantId: Joi.string().required(),
  status: requestStatus().required(),
  requesterId: id('customer').required(),
  payerId: id('customer').required(),
  payer: Joi.string().required().description('As the requester named it; an address is shortened'),
  amount: amount().required(),
  currency: currency().required(),
  note: text(140),
  transferId: id('transfer').description('Of one that was paid'),
  expiresAt: instant().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export interface ScheduleBody {
  senderId: string;
  recipient: string;
  amount: string;
  currency: string;
  note?: string;
  frequency: Frequency;
  startsAt: string;
  endsAt?: string;
}
const frequency = () =>
  Joi.string()
    .valid(...FREQUENCIES)
    .description('At the time of day of `startsAt`, in UTC; a day that a month lacks is that month’s last');
export const scheduleBody = Joi.object<ScheduleBody>({
  senderId: id('customer').required(),
  recipient: somebody().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  frequency: frequency().required(),
  startsAt: instant().required().description('When the first is made; in the future, whole seconds'),
  endsAt: instant().description('None is made after that'),
});

export interface ScheduleParams {
  scheduleId: string;
}
export const scheduleParams = Joi.object<ScheduleParams>({ scheduleId: anyId() });

const scheduleStatus = () => Joi.string().valid(...SCHEDULE_STATUSES);
export interface ScheduleQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  status?: ScheduleStatus;
}
export const scheduleQuery = Joi.object<ScheduleQuery>({
  ...paging(),
  customerId: id('customer'),
  status: scheduleStatus(),
});
export const scheduleSchema = Joi.object({
  scheduleId: id('transferSchedule').required(),
  tenantId: Joi.string().required(),
  status: scheduleStatus().required(),
  senderId: id('customer').required(),
  recipientId: id('customer').required(),
  recipient: Joi.string().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: text(140),
  frequency: frequency().required(),
  startsAt: instant().required(),
  endsAt: instant(),
  nextAt: instant().description('When the next transfer is due'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
