import Joi from 'joi';
import { CONSENT_STATUSES, type ConsentStatus } from '../../domain/states/consent';
import { CONSENT_KINDS, type ConsentKind } from '../../open-banking/consents/consent';
import { PERMISSIONS } from '../../open-banking/consents/permissions';
import { amount, anyId, currency, freeText, id, instant, lineText, paging, text } from '../server/conventions';

const FUTURE = '2040-01-31T12:00:00.000Z';
const MAX_PERMISSIONS = 50;

const permission = Joi.object({
  name: lineText(100).min(1).required().example('ReadAccountsBasic').description(PERMISSIONS.join(', ')),
  endPoints: text(1_000),
  businessLogic: text(1_000),
  information: text(1_000),
  clusterDescription: text(1_000),
});

/** The documented record, flat, as it stands. */
const documented = {
  serviceProvider: Joi.string().min(1).max(200).required().description('Your registered name').example('Budget Bear'),
  customerId: Joi.string().min(1).max(100).required().example('cus_01h455vb4pex5vsknk084sn02q'),
  customerType: Joi.string().min(1).max(100).required().example('Person'),
  consentedDate: instant().required(),
  expiryDate: instant().required().example(FUTURE, { override: true }).description('Until when you may read'),
  sharingStartDate: instant().required().description('From when on: the date of booking of an entry'),
  sharingEndDate: instant().required().description('Until when'),
  permissions: Joi.array().items(permission).min(1).max(MAX_PERMISSIONS).required(),
  tenantId: Joi.string().min(1).max(100).required().description('A bank that you serve'),
  magicLink: text(2_000).description('Link to the page of the customer. Absent: `authorisationUrl`'),
  consentPeriod: text(200),
  consentAccess: text(200),
};

export interface ConsentBody {
  serviceProvider: string;
  customerId: string;
  customerType: string;
  status: 'AwaitingAuthorisation';
  consentedDate: string;
  expiryDate: string;
  sharingStartDate: string;
  sharingEndDate: string;
  permissions: { name: string }[];
  tenantId: string;
  magicLink?: string;
  consentPeriod?: string;
  consentAccess?: string;
}

export const consentBody = Joi.object<ConsentBody>({
  ...documented,
  status: Joi.string().valid('AwaitingAuthorisation').required().description('Nobody authorises itself'),
});

const status = () =>
  Joi.string()
    .valid(...CONSENT_STATUSES)
    .example('Authorised');

/** What the entrance answers. */
export const consentRecord = Joi.object({
  consentId: id('consent').required(),
  ...documented,
  status: status().required(),
  magicLink: Joi.string().required(),
  authorisationUrl: Joi.string()
    .required()
    .meta({ format: 'uri' })
    .description(
      'Where the customer authorises it. Add `state`, `nonce`, `code_challenge` and `code_challenge_method`',
    ),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export interface ConsentParams {
  consentId: string;
}
export const consentParams = Joi.object<ConsentParams>({ consentId: anyId() });

export interface ConsentQuery {
  limit: number;
  cursor?: string;
  status?: ConsentStatus;
  kind?: ConsentKind;
  tppId?: string;
  customerId?: string;
}
export const consentQuery = Joi.object<ConsentQuery>({
  ...paging(),
  status: Joi.string().valid(...CONSENT_STATUSES),
  kind: Joi.string().valid(...CONSENT_KINDS),
  tppId: Joi.string().max(100),
  customerId: Joi.string().max(100),
});

export const pageQuery = Joi.object(paging());

export interface RevokeBody {
  reason: string;
}
export const revokeBody = Joi.object<RevokeBody>({
  reason: freeText(500).min(1).required().example('I do not use this app any more'),
});

const shown = {
  consentId: id('consent').required(),
  kind: Joi.string()
    .valid(...CONSENT_KINDS)
    .required()
    .description('What it lets the third party do: read accounts, make one payment, ask whether there is enough money'),
  status: status().required(),
  statusDetail: Joi.string().required().description('A sentence for people'),
  tppId: Joi.string().required(),
  tppName: Joi.string().required().example('Budget Bear'),
  customerId: Joi.string().description('Absent while nobody has authorised it, except of a consent to read accounts'),
  permissions: Joi.array().items(Joi.string().example('ReadBalances')).required(),
  payment: Joi.object({
    amount: amount().required(),
    currency: currency().required(),
    payeeName: Joi.string().required().example('Corner Shop'),
    payeeIban: Joi.string().required(),
    note: Joi.string().description('What the payee reads'),
    executeAt: instant().description('When it is to be made. Absent: at once'),
  }).description('Of a consent to pay: what the customer confirms'),
  sharingFrom: instant(),
  sharingTo: instant(),
  expiresAt: instant(),
  authorisedAt: instant().description('The last time'),
  authenticatedAt: instant().description('When the customer authenticated for it, or the third party reconfirmed it'),
  authenticateBy: instant().description(
    'When the customer has to authenticate again, or the third party to reconfirm, at the latest',
  ),
  createdAt: instant().required(),
  updatedAt: instant().required(),
};
export const shownConsent = Joi.object(shown);

export const wholeConsent = Joi.object({
  ...shown,
  accounts: Joi.array()
    .items(Joi.object({ iban: Joi.string().required(), currency: Joi.string().required() }))
    .required()
    .description('What the customer has chosen'),
  events: Joi.array()
    .items(
      Joi.object({
        cause: Joi.string().required().example('authorised'),
        status: status().required(),
        actor: Joi.string().required().description('Third party, customer, client or user; `platform`: nobody'),
        detail: Joi.string().required(),
        ibans: Joi.array().items(Joi.string()).description('Those that the customer has chosen'),
        at: instant().required(),
      }),
    )
    .required()
    .description('Oldest first'),
});

export const accessRecord = Joi.object({
  accessId: id('consentAccess').required(),
  resource: Joi.string().required().example('transactions'),
  iban: Joi.string().description('Absent: of no account in particular'),
  customerPresent: Joi.boolean().required().description('The customer had asked for it just then'),
  refusal: Joi.string().description('The error code. Absent: it was answered').example('forbidden'),
  interactionId: Joi.string().required().description('`x-fapi-interaction-id`'),
  at: instant().required(),
});
