import Joi from 'joi';
import { E164 } from '../../domain/alias';
import type { PaymentKind } from '../../domain/connector';
import { customField, linkKind, linkPurpose, linkStatus, linkTitle } from '../records/payment-link';
import { amount, anyId, currency, freeText, id, instant, nameText, paging, webUrl } from '../server/conventions';

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000_000;
const MAX_PAYMENTS = 1_000_000;
const MAX_FIELDS = 10;
const MAX_HOURS = 24 * 365;

/** A time that has not come yet. */
const later = () => instant().example('2040-01-31T12:00:00.000Z', { override: true });
const reason = () => freeText(500).min(1).example('The price is not the one that we agreed on');

const line = Joi.object({
  itemId: Joi.string()
    .max(100)
    .example('itm_01h455vb4pex5vsknk084sn02q')
    .description('An item: its price of then counts'),
  description: nameText(200).min(1).description('What is sold, if it is no item'),
  amount: amount({ above: 2 }).description('Of one piece'),
  quantity: Joi.number()
    .integer()
    .min(1)
    .max(MAX_QUANTITY)
    .default(1)
    .when('itemId', { is: Joi.exist(), then: Joi.required() })
    .description('Required of an item. Default: 1'),
})
  .xor('itemId', 'description')
  .with('description', 'amount')
  .without('itemId', 'amount');

export type LineBody = { itemId: string; quantity: number } | { description: string; amount: string; quantity: number };

export interface PaymentLinkBody {
  purpose: 'payment' | 'topup';
  customerId?: string;
  orderId?: string;
  lines?: LineBody[];
  amount?: string | { min: string; max: string };
  currency?: string;
  title: string;
  description?: string;
  reference?: string;
  expiresAt?: string;
  maxPayments?: number;
  kinds?: PaymentKind[];
  customFields: { name: string; label: string; required: boolean }[];
  approval: 'required' | 'default';
  notificationUrl?: string;
  terminalId?: string;
}
export const paymentLinkBody = Joi.object<PaymentLinkBody>({
  purpose: linkPurpose()
    .default('payment')
    .description('`topup`: the money goes into the wallet of a customer, by card; name `customerId` and `amount`'),
  customerId: Joi.string()
    .max(100)
    .when('purpose', { is: 'topup', then: Joi.required(), otherwise: Joi.forbidden() })
    .description('Whose wallet a top-up is for'),
  orderId: Joi.string().max(100).description('An order: one buyer pays it'),
  lines: Joi.array()
    .items(line)
    .min(1)
    .max(MAX_LINES)
    .description('Each buyer who begins to pay gets an order of their own over these lines'),
  // By what it is, so that what is wrong within a span is named.
  amount: Joi.alternatives()
    .conditional(Joi.object().unknown(), {
      then: Joi.object({ min: amount({ above: 1 }).required(), max: amount({ above: 1 }).required() }),
      otherwise: amount(),
    })
    .description('One amount, or the span from which the buyer chooses'),
  currency: currency().when('orderId', { is: Joi.exist(), then: Joi.forbidden(), otherwise: Joi.required() }),
  title: linkTitle().required().description('What the buyer reads first'),
  description: Joi.string().min(1).max(2_000),
  reference: Joi.string().min(1).max(100).description('Your own'),
  expiresAt: later().description('Default: in 30 days'),
  maxPayments: Joi.number()
    .integer()
    .min(1)
    .max(MAX_PAYMENTS)
    .when('orderId', { is: Joi.exist(), then: Joi.valid(1) })
    .description('How many buyers may pay. Default: one for an order, else as many as come'),
  kinds: Joi.array()
    .items(linkKind())
    .min(1)
    .unique()
    .description('The kinds of payment to offer. Default: all that serve; a top-up is paid by card'),
  customFields: Joi.array()
    .items(customField)
    .max(MAX_FIELDS)
    .unique('name')
    .default([])
    .description('What you want to know of the buyer'),
  approval: Joi.string()
    .valid('required', 'default')
    .default('default')
    .description(
      '`required`: a tenant admin has to approve it, even where the settings of the tenant do not ask for it',
    ),
  notificationUrl: webUrl(),
  terminalId: Joi.string().max(100).description('Default: the merchant account of the token, or the first one'),
}).xor('orderId', 'lines', 'amount');

export interface PaymentLinkParams {
  linkId: string;
}
export const paymentLinkParams = Joi.object<PaymentLinkParams>({ linkId: anyId() });

export const paymentLinkQuery = Joi.object({
  ...paging(),
  status: linkStatus(),
  purpose: linkPurpose(),
  reference: Joi.string().max(100),
  orderId: Joi.string().max(100),
});

export const rejectionBody = Joi.object<{ reason: string }>({ reason: reason().required() });
export const approvalBody = Joi.object<{ reason?: string }>({ reason: reason() });
export const expiryBody = Joi.object<{ expiresAt: string }>({ expiresAt: later().required() });

export interface ShareBody {
  channel: 'email' | 'sms' | 'external';
  to: string;
  note?: string;
}
export const shareBody = Joi.object<ShareBody>({
  channel: Joi.string().valid('email', 'sms', 'external').required(),
  to: Joi.string()
    .min(1)
    .max(254)
    .required()
    .description('An e-mail address, a telephone number in E.164, or the name of your own channel')
    .example('ada@example.com'),
  note: Joi.string().min(1).max(300).description('Your own words, above the link'),
});

const FORMS: Record<ShareBody['channel'], [schema: Joi.Schema, form: string]> = {
  email: [Joi.string().email({ tlds: false }), 'must be an e-mail address, such as ada@example.com'],
  sms: [Joi.string().pattern(E164), 'must be a telephone number in E.164, such as +351210000000'],
  external: [Joi.string().max(80), 'must be the name of a channel of at most 80 characters'],
};

/** What is wrong with the recipient for its channel; undefined: nothing. */
export function wrongRecipient({ channel, to }: ShareBody): string | undefined {
  const [schema, form] = FORMS[channel];
  return schema.validate(to).error && form;
}

export interface ShareParams extends PaymentLinkParams {
  shareId: string;
}
export const shareParams = Joi.object<ShareParams>({ linkId: anyId(), shareId: anyId() });

export interface SettingsBody {
  approvalRequired: boolean;
  fourEyes: { currency: string; amount: string }[];
  requestTtlHours: number;
  remindAfterHours: number;
}
const settingsMembers = {
  approvalRequired: Joi.boolean().required().description('Every link waits for the approval of an admin'),
  fourEyes: Joi.array()
    .items(Joi.object({ currency: currency().required(), amount: amount().required() }))
    .unique('currency')
    .required()
    .description('From these amounts on, two people have to approve'),
  requestTtlHours: Joi.number().integer().min(1).max(MAX_HOURS).required(),
  remindAfterHours: Joi.number().integer().min(1).max(MAX_HOURS).required(),
};
export const settingsBody = Joi.object<SettingsBody>(settingsMembers);
export const settingsSchema = Joi.object(settingsMembers);

export interface DelegationBody {
  to: string;
  currency: string;
  most: string;
  endsAt: string;
}
export const delegationBody = Joi.object<DelegationBody>({
  to: Joi.string().max(100).required().description('Id of a user or client of the tenant'),
  currency: currency().required(),
  most: amount().required().description('The largest link that the delegate may decide about'),
  endsAt: later().required(),
});
export const delegationParams = Joi.object<{ delegationId: string }>({ delegationId: anyId() });

export const delegationSchema = Joi.object({
  delegationId: id('linkDelegation').required(),
  from: Joi.string().required(),
  to: Joi.string().required(),
  currency: currency().required(),
  most: amount().required(),
  endsAt: instant().required(),
  createdAt: instant().required(),
});

export const shareSchema = Joi.object({
  shareId: id('linkShare').required(),
  channel: Joi.string().valid('email', 'sms', 'external').required(),
  recipient: Joi.string().required().description('Shortened'),
  delivery: Joi.string()
    .valid('queued', 'delivered', 'refused', 'expired', 'recorded')
    .required()
    .description('`recorded`: it went by a channel of your own'),
  sends: Joi.number().integer().required(),
  sharedBy: Joi.string().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const statisticsSchema = Joi.object({
  opened: Joi.number().integer().required().description('How often the page was opened'),
  tried: Joi.number().integer().required().description('Payments that were begun'),
  paid: Joi.number().integer().required(),
  amount: amount({ zero: true }).required().description('Captured in all'),
  currency: currency().required(),
  byDay: Joi.array()
    .items(Joi.object({ day: Joi.string().required(), opened: Joi.number().integer().required() }))
    .required(),
});
