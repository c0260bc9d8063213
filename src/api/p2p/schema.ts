import Joi from 'joi';
import { ALIAS_FORM, parseAlias } from '../../domain/alias';
import type { RequestStatus } from '../../domain/states/money-request';
import type { ScheduleStatus } from '../../domain/states/schedule';
import type { TransferStatus } from '../../domain/states/transfer';
import type { Frequency } from '../../money/p2p/occurrences';
import { acceptEach } from '../records/member';
import { requestStatus } from '../records/money-request';
import { LONGEST_ALIAS, note, somebody } from '../records/recipient';
import { frequency, scheduleStatus } from '../records/schedule';
import { transferStatus } from '../records/transfer';
import { amount, anyId, currency, freeText, id, instant, paging, say } from '../server/conventions';

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

const alias = () =>
  Joi.string()
    .max(LONGEST_ALIAS)
    .custom((value: string, helpers) => (parseAlias(value) ? value : say(helpers, ALIAS_FORM)))
    .description('E-mail address, telephone number in international form, or handle')
    .example('@ada');
const expiresAt = () => instant().description('It waits until this time. The platform’s setting is the upper limit');

export const enrollBody = Joi.object<EnrollBody>({ alias: alias().required(), acceptEach: acceptEach() });
export const aliasBody = Joi.object<AliasBody>({ alias: alias().required() });
export const preferencesBody = Joi.object<PreferencesBody>({ acceptEach: acceptEach().required() });
export const reasonBody = Joi.object<ReasonBody>({ reason: freeText(200).min(1) });

export interface AliasParams {
  customerId: string;
  aliasId: string;
}
export const aliasParams = Joi.object<AliasParams>({
  customerId: anyId(),
  aliasId: anyId(),
});

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
  direction: Joi.string()
    .valid('sent', 'received')
    .description('Sent or received by `customerId`, or by the customer who asks'),
  status: transferStatus(),
  currency: currency(),
  scheduleId: id('transferSchedule'),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
});
export const transferQuery = Joi.object<TransferQuery>({ ...paging(), ...transferFilter() });
export const exportQuery = Joi.object<TransferFilterQuery>(transferFilter());

export const transferEventSchema = Joi.object({
  from: transferStatus().description('Absent in the first event'),
  to: transferStatus().required(),
  detail: Joi.string().required(),
  actor: Joi.string().required().description('Client, user or customer. `flow` means that the platform did it'),
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
  direction: Joi.string()
    .valid('sent', 'received')
    .description('Sent or received by `customerId`, or by the customer who asks'),
  status: requestStatus(),
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
export const scheduleBody = Joi.object<ScheduleBody>({
  senderId: id('customer').required(),
  recipient: somebody().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  frequency: frequency().required(),
  startsAt: instant().required().description('When the first transfer is made: a time in the future, in whole seconds'),
  endsAt: instant().description('No transfer is made after this time'),
});

export interface ScheduleParams {
  scheduleId: string;
}
export const scheduleParams = Joi.object<ScheduleParams>({ scheduleId: anyId() });

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
