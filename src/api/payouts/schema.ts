import Joi from 'joi';
import { ACCOUNT_STATUSES } from '../../commerce/payouts/account';
import type { Origin } from '../../commerce/payouts/payout';
import { SCHEDULES, type ScheduleKind } from '../../commerce/payouts/schedule';
import type { PayoutStatus } from '../../domain/states/payout';
import { payoutOrigin, payoutStatus } from '../records/payout';
import {
  amount,
  anyId,
  currency,
  formed,
  freeText,
  id,
  instant,
  nameText,
  type Paging,
  paging,
} from '../server/conventions';
import { iban } from '../server/iban';

const signed = () => Joi.string().example('-10.00');
const organizationId = () => id('organization');

export interface PayoutParams {
  payoutId: string;
}
export const payoutParams = Joi.object<PayoutParams>({ payoutId: anyId() });

export interface OrganizationParams {
  organizationId: string;
}
export const organizationParams = Joi.object<OrganizationParams>({ organizationId: anyId() });

export interface PayoutBody {
  organizationId?: string;
  currency: string;
  amount?: string;
  sendAt?: string;
}
export const payoutBody = Joi.object<PayoutBody>({
  organizationId: organizationId().description('The seller. Required of a tenant admin'),
  currency: currency().required(),
  amount: amount().description('Default: all that is available'),
  sendAt: instant().description('When it is sent. Until then it can be cancelled. Default: now'),
});

export interface PayoutQuery extends Paging {
  status?: PayoutStatus;
  currency?: string;
  origin?: Origin;
  from?: string;
  to?: string;
}
export const payoutQuery = Joi.object<PayoutQuery>({
  ...paging(),
  status: payoutStatus(),
  currency: currency(),
  origin: payoutOrigin(),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
});

const line = Joi.object({
  name: Joi.string().required().example('gross'),
  title: Joi.string().required().example('Payments'),
  amount: signed().required(),
});
export const statementSchema = Joi.object({
  payoutId: id('payout').required(),
  number: Joi.number().integer().required(),
  seller: Joi.string().required(),
  currency: currency().required(),
  status: payoutStatus().required(),
  from: instant().description('When the first entry of the statement was booked'),
  to: instant().required(),
  account: Joi.object({ iban: Joi.string().required(), holder: Joi.string().required() }).description(
    'Where it was sent to, masked',
  ),
  lines: Joi.array()
    .items(line)
    .required()
    .description('From the opening to the closing balance. The lines between them add up to the difference'),
  unsettled: amount({ zero: true }).required().description('Part of the closing balance that is not settled yet'),
  refunding: amount({ zero: true }).required().description('Part of the closing balance that is held for refunds'),
});

export interface BankFileQuery {
  from: string;
  to: string;
  currency?: string;
}
export const bankFileQuery = Joi.object<BankFileQuery>({
  from: instant().required().description('To be sent at this time or later'),
  to: instant().required().description('To be sent before this time'),
  currency: currency(),
});

export interface BalanceQuery {
  currency: string;
  organizationId?: string;
}
export const balanceQuery = Joi.object<BalanceQuery>({
  currency: currency().required(),
  organizationId: organizationId().description('The seller. Required of a tenant admin'),
});
export const balanceSchema = Joi.object({
  organizationId: organizationId().required(),
  currency: currency().required(),
  balance: signed().required().description('All that the tenant owes the seller. Negative: the seller owes'),
  unsettled: amount({ zero: true }).required().description('Part of it that processors have yet to settle'),
  refunding: amount({ zero: true }).required().description('Part of it that refunds under way hold'),
  reserveToHold: amount({ zero: true }).required().description('What the next payout puts into the reserve'),
  reserveToRelease: amount({ zero: true }).required().description('What the next payout takes out of the reserve'),
  available: signed().required().description('What can be paid out now'),
  minimum: amount({ zero: true }).required().description('The smallest payout'),
});

export const runSchema = Joi.object({
  runId: Joi.string().required(),
  organizationId: organizationId().required(),
  currency: currency().required(),
  dueAt: instant().required(),
  outcome: Joi.string()
    .valid('paid_out', 'carried')
    .required()
    .description('`carried`: nothing was paid, and the balance waits for the next date'),
  detail: Joi.string().required(),
  available: signed().required(),
  payoutId: id('payout'),
  createdAt: instant().required(),
});
export const runsQuery = Joi.object<Paging>(paging());

export interface RunBody {
  organizationId?: string;
}
export const runBody = Joi.object<RunBody>({
  organizationId: organizationId().description('Default: every seller of the tenant'),
});
export const runAnswer = Joi.object({
  sellers: Joi.number().integer().required().description('Balances that the workers now look at, one per currency'),
});

const MAX_HOLDER = 70;

export interface AccountBody {
  iban: string;
  holder: string;
  bic?: string;
}
export const accountBody = Joi.object<AccountBody>({
  iban: iban().required(),
  holder: nameText(MAX_HOLDER).trim().min(1).required().example('Corner Shop Ltd'),
  bic: formed(
    /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/,
    'must be a BIC of 8 or 11 characters, such as COBADEFFXXX',
  ).example('COBADEFFXXX'),
});

export const accountSchema = Joi.object({
  accountId: id('payoutAccount').required(),
  iban: Joi.string().required().description('Whole for the seller itself, otherwise masked').example('DE**3000'),
  holder: Joi.string().required(),
  bic: Joi.string(),
  status: Joi.string()
    .valid(...ACCOUNT_STATUSES)
    .required(),
  effectiveFrom: instant().required().description('From then on payouts go there, if it is verified by then'),
  verifiedAt: instant(),
  createdAt: instant().required(),
});
export const accountsSchema = Joi.object({
  organizationId: organizationId().required(),
  inEffect: accountSchema.description('Where payouts go now. Absent: nothing can be paid out'),
  history: Joi.array().items(accountSchema).required().description('All that the seller ever named, newest first'),
});

export interface VerifyBody {
  accountId?: string;
}
export const verifyBody = Joi.object<VerifyBody>({
  accountId: id('payoutAccount').description('The account that was looked at. Default: the latest, whichever it is'),
});

export interface ReasonBody {
  reason: string;
}
export const reasonBody = Joi.object<ReasonBody>({
  reason: freeText(500).min(1).required().example('The holder is another company'),
});

export interface TermsBody {
  organizationId?: string;
  currency: string;
  schedule: ScheduleKind;
  weekday?: number;
  dayOfMonth?: number;
  minimum?: string;
  reserveBasisPoints?: number;
  reserveDays?: number;
  effectiveFrom?: string;
}

const termsMembers = {
  organizationId: organizationId().description('Absent: every seller of the tenant that has no terms of its own'),
  currency: currency().required(),
  schedule: Joi.string()
    .valid(...SCHEDULES)
    .required()
    .description('When payouts are made by themselves: at 00:00 UTC of the day'),
  weekday: Joi.number().integer().min(1).max(7).description('1 is Monday'),
  dayOfMonth: Joi.number().integer().min(1).max(28),
  minimum: amount({ zero: true }).description('Less than this is carried to the next time'),
  reserveBasisPoints: Joi.number()
    .integer()
    .min(0)
    .max(10_000)
    .description('Share of the payments of a period that is held in reserve, in hundredths of a percent'),
  reserveDays: Joi.number().integer().min(0).max(730).description('How long it is held'),
  effectiveFrom: instant(),
};

export const termsBody = Joi.object<TermsBody>({
  ...termsMembers,
  weekday: termsMembers.weekday.when('schedule', { is: 'weekly', then: Joi.required(), otherwise: Joi.forbidden() }),
  dayOfMonth: termsMembers.dayOfMonth.when('schedule', {
    is: 'monthly',
    then: Joi.required(),
    otherwise: Joi.forbidden(),
  }),
  reserveDays: termsMembers.reserveDays.when('reserveBasisPoints', {
    is: Joi.number().min(1).required(),
    then: Joi.number().integer().min(1).max(730).required(),
  }),
  effectiveFrom: instant().description('Default: now. A new version replaces an earlier one with the same time'),
});

export const termsSchema = Joi.object({
  ...termsMembers,
  termsId: Joi.string().required(),
  minimum: termsMembers.minimum.required(),
  reserveBasisPoints: termsMembers.reserveBasisPoints.required(),
  reserveDays: termsMembers.reserveDays.required(),
  effectiveFrom: instant().required(),
  createdAt: instant().required(),
});

export interface TermsQuery extends Paging {
  organizationId?: string;
  currency?: string;
}
export const termsQuery = Joi.object<TermsQuery>({
  ...paging(),
  organizationId: organizationId(),
  currency: currency(),
});
