import Joi, { type Schema } from 'joi';
import { CONSENT_STATUSES } from '../../domain/states/consent';
import { CUSTOMER_STATUSES, type CustomerStatus } from '../../domain/states/customer';
import { DOCUMENT_STATUSES } from '../../domain/states/document';
import type { CustomerRecord } from '../../people/customers/profile';
import { MAX_PASSWORD_LENGTH } from '../../people/identity/passwords';
import { beneficiarySchema } from '../records/beneficiary';
import { documentSchema } from '../records/document';
import { memberSchema } from '../records/member';
import { moneyRequestSchema } from '../records/money-request';
import { paymentRecordSchema } from '../records/payment';
import { scheduleSchema } from '../records/schedule';
import { standingOrderSchema } from '../records/standing-order';
import { statusEventSchema } from '../records/status-event';
import { transferSchema } from '../records/transfer';
import { anyId, formed, id, instant, lineText, listOf, nameText, paging, text } from '../server/conventions';
import { paymentMethodSchema } from './card-schema';

/** The customer record of the service description. Its enumerations keep the spelling of that document. */
export const CUSTOMER_TYPES = ['Person', 'Organization'] as const;
const CATEGORIES = ['category1', 'category2', 'category3'] as const;
const NOTIFICATION_TYPES = ['Marketingemails', 'Transactional', 'Security'] as const;
const GENDERS = ['Male', 'Female', 'Other', 'Unspecified'] as const;
const PHONE_TYPES = ['fixed', 'mobile'] as const;
const DOCUMENT_PURPOSES = ['KYB', 'KYC'] as const;
const DOCUMENT_TYPES = [
  'ID front side',
  'ID back side',
  'Passport',
  'Driving licence',
  'Proof of address',
  'Certificate of incorporation',
] as const;
const TARGET_TYPES = ['SMS', 'Email', 'Authenticator'] as const;
const RELATION_TYPES = ['near_by', 'same_as'] as const;
const VALUE_TYPES = ['Number', 'String', 'Date'] as const;

/**
 * What a schema of the record is for: `whole` creates a customer, `patch` changes one (every member may be absent or null),
 * `shown` is the answer.
 */
type Use = 'whole' | 'patch' | 'shown';

const MAX_ELEMENTS = 50;

/** The members of the record for one use. */
function recordMembers(use: Use): Record<string, Schema> {
  const may = <T extends Schema>(schema: T): T => (use === 'patch' ? (schema.allow(null) as T) : schema);
  const string = (max: number) => may(text(max));
  const line = (max: number) => may(lineText(max).allow(''));
  const plain = (max: number) => may(nameText(max).allow(''));
  const one = (options: readonly string[]) => may(Joi.string().valid(...options));
  const number = () => may(Joi.number());
  const object = (members: Record<string, Schema>) => may(Joi.object(members));
  /** An array of objects. `null` clears a member, but cannot be an element. */
  const list = (members: Record<string, Schema>) => may(Joi.array().items(Joi.object(members)).max(MAX_ELEMENTS));
  const named = () => list({ name: plain(200), type: one(VALUE_TYPES), value: string(1_000) });
  /** A request may set it; no answer shows it. */
  const secret = (members: Record<string, Schema>) => (use === 'shown' ? {} : members);

  const name = (required: boolean) =>
    object({
      name: required ? nameText(200).min(1).required().example('Ada') : plain(200),
      order: may(Joi.number().integer()),
      abbreviation: plain(50),
      language: line(50),
      native: plain(200),
      suffix: plain(50),
      prefix: plain(50),
    });

  const address = object({
    country: line(100),
    area: line(200),
    zipCode: line(50),
    city: line(200),
    street: line(200),
    streetNumber: may(Joi.array().items(lineText(50).allow('')).max(MAX_ELEMENTS)),
    building: line(100),
    apartment: line(100),
    entrance: line(100),
    floor: line(100),
    doorNumber: line(100),
    geoPosition: object({ latitude: number(), longitude: number(), altitude: number() }),
    alternative: object({ word1: line(100), word2: line(100), word3: line(100) }),
    relatedToAddress: list({ relationType: one(RELATION_TYPES), address: line(500) }),
    additionalData: named(),
  });

  const telephoneNumber = {
    phoneType: one(PHONE_TYPES),
    operator: line(100),
    encoding: one(['numbers']),
    country: line(100),
    number: line(50),
    purpose: line(100),
  };

  const document = {
    purpose: one(DOCUMENT_PURPOSES),
    name: plain(200),
    documentType: one(DOCUMENT_TYPES),
    location: line(2_000),
    verificationResponse: string(2_000).description('Only we set it. We replace what you send'),
    status: one(use === 'shown' ? DOCUMENT_STATUSES : ['underverification']),
    metadata: named(),
  };

  const person = (required: boolean) => {
    const needed = (schema: Joi.ObjectSchema) => (required ? schema.required() : schema);
    const email = may(Joi.string().email({ tlds: false }).max(254)).example('ada@example.com');
    return object({
      firstName: needed(name(required)),
      lastName: needed(name(required)),
      fullName: plain(500),
      groupId: string(100),
      gender: one(GENDERS),
      dateOfBirth: string(50),
      placeOfBirth: line(200),
      nationality: line(100),
      ...secret({ pinCode: string(32), password: string(MAX_PASSWORD_LENGTH) }),
      email: required ? email.required() : email.allow(''),
      telephoneNumbers: list(telephoneNumber),
      addresses: list({ addressPurpose: line(100), address }),
      documents: list(document),
      SecretQuestion: list({ question: string(500), ...secret({ answer: string(500) }) }),
    });
  };

  const isWhole = use === 'whole';
  return {
    id: string(128).description(
      'Your own id of the customer; unique among the customers of the tenant that are not erased',
    ),
    customerType: Joi.string().valid(...CUSTOMER_TYPES),
    customerName: nameText(200).min(1).example('Ada Lovelace'),
    customerStatus: Joi.string().valid(...CUSTOMER_STATUSES),
    organizationId: may(Joi.string().max(100)).description('An organization of the tenant'),
    categorization: one(CATEGORIES),
    notifications: list({ notificationType: one(NOTIFICATION_TYPES), isEnabled: may(Joi.boolean()) }),
    person: isWhole
      ? Joi.when('customerType', { is: 'Organization', then: person(false), otherwise: person(true).required() })
      : person(false),
    twofa: object({
      targetType: one(TARGET_TYPES),
      targetValue: string(254),
      ...secret({ targetCode: string(100), inputCode: string(100) }),
      codematch: may(Joi.boolean()).description('Only we set it. We replace what you send'),
    }),
  };
}

const whole = recordMembers('whole');

/** A new customer. */
export const customerBody = Joi.object<CustomerRecord>({
  ...whole,
  customerType: whole.customerType!.required(),
  customerName: whole.customerName!.required(),
});

export const MAX_BULK = 1_000;
export const bulkBody = Joi.array<CustomerRecord[]>().items(customerBody).min(1).max(MAX_BULK);

/** The caller's own name for a bulk request. */
export const bulkHeaders = {
  token: formed(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters and no space').description(
    'Your own name for this request. The same name with the same body gets the first answer again',
  ),
};

export const bulkSchema = Joi.object({
  tenantId: id('tenant').required(),
  customerIds: Joi.array()
    .items(Joi.object({ customerId: id('customer').required() }))
    .required(),
});

/** An update: absent members stay, `null` clears a member, arrays are replaced. */
export const customerPatch = Joi.object<Record<string, unknown>>(recordMembers('patch'));

export const customerSchema = Joi.object({
  customerId: id('customer').required(),
  tenantId: id('tenant').required(),
  ...recordMembers('shown'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const customerListSchema = listOf(customerSchema);

export const erasedSchema = Joi.object({ customerId: id('customer').required(), deletedAt: instant().required() });

export const tenantParams = Joi.object<{ tenantId: string }>({ tenantId: anyId() });
export const organizationParams = Joi.object<{ organizationId: string }>({ organizationId: anyId() });

export interface CustomerListQuery {
  limit: number;
  cursor?: string;
  status?: CustomerStatus;
  customerType?: string;
  search?: string;
}
export const customerListQuery = Joi.object<CustomerListQuery>({
  ...paging(),
  status: Joi.string().valid(...CUSTOMER_STATUSES),
  customerType: Joi.string().valid(...CUSTOMER_TYPES),
  search: Joi.string()
    .max(255)
    .description(
      'A whole e-mail address, telephone number, `id` or `customerId`. Of addresses we store only keyed hashes',
    ),
});

const paymentOfCustomer = paymentRecordSchema.keys({
  type: Joi.string().valid('payment', 'topup').required(),
  topupId: id('topup'),
});
const transferOfCustomer = transferSchema.keys({
  type: Joi.string().valid('transfer').required(),
  direction: Joi.string().valid('sent', 'received').required(),
});
export const transactionSchema = Joi.alternatives(paymentOfCustomer, transferOfCustomer);

const at = () => instant().required();

const heldConsentSchema = Joi.object({
  consentId: id('consent').required(),
  kind: Joi.string().required().example('account'),
  status: Joi.string()
    .valid(...CONSENT_STATUSES)
    .required()
    .example('Authorised'),
  statusDetail: Joi.string().required(),
  tppId: Joi.string().required(),
  tppName: Joi.string().required().description('The third party'),
  permissions: Joi.array().items(Joi.string()).required(),
  record: Joi.string().required().description('What the third party has asked for: the JSON text that it sent'),
  ibans: Joi.array().items(Joi.string()).required().description('The accounts that the customer chose'),
  sharingFrom: instant(),
  sharingTo: instant(),
  expiresAt: instant(),
  authorisedAt: instant(),
  createdAt: at(),
  events: Joi.array()
    .items(
      Joi.object({
        cause: Joi.string().required().example('authorised'),
        status: Joi.string().required().example('Authorised'),
        actor: Joi.string().required(),
        detail: Joi.string().required(),
        at: at(),
      }),
    )
    .required(),
});

const heldAccessSchema = Joi.object({
  consentId: id('consent').required(),
  resource: Joi.string().required().example('transactions'),
  iban: Joi.string().description('Absent: of no account in particular'),
  customerPresent: Joi.boolean().required(),
  refusal: Joi.string().description('The error code. Absent: it was answered'),
  at: at(),
});

export const exportSchema = Joi.object({
  exportedAt: at(),
  customer: customerSchema.required(),
  statusHistory: Joi.array().items(statusEventSchema).required(),
  documents: Joi.array()
    .items(documentSchema.keys({ withdrawnAt: instant().description('When the document was taken out of the record') }))
    .required(),
  identifiers: Joi.array()
    .items(Joi.object({ type: Joi.string().required(), verifiedAt: instant() }))
    .required()
    .description('Addresses by which the customer can be found; the record has their values'),
  secrets: Joi.array()
    .items(Joi.object({ kind: Joi.string().required(), changedAt: at() }))
    .required()
    .description('Secrets that we store as hashes'),
  twoFactor: Joi.object({
    login: Joi.boolean().required(),
    trading: Joi.boolean().required(),
    funding: Joi.boolean().required(),
    updatedAt: at(),
  }).description('Absent if it was never set'),
  payments: Joi.array().items(paymentOfCustomer).required(),
  transfers: Joi.object({
    membership: memberSchema.description('Absent if the customer has not joined transfers'),
    made: Joi.array().items(transferSchema).required().description('Transfers sent and received'),
    requests: Joi.array().items(moneyRequestSchema).required(),
    schedules: Joi.array().items(scheduleSchema).required(),
  }).required(),
  paymentMethods: Joi.array().items(paymentMethodSchema).required(),
  beneficiaries: Joi.array().items(beneficiarySchema).required(),
  standingOrders: Joi.array().items(standingOrderSchema).required(),
  mandates: Joi.array()
    .items(
      Joi.object({
        mandateId: id('mandate').required(),
        ibanLast4: Joi.string().required(),
        accountHolder: Joi.string().required(),
        signedAt: at(),
        state: Joi.string().required(),
      }),
    )
    .required(),
  consents: Joi.array()
    .items(heldConsentSchema)
    .required()
    .description('What the customer lets third parties do, or did, with the history'),
  consentAccesses: Joi.array()
    .items(heldAccessSchema)
    .required()
    .description('What third parties read under the consents: the last 1,000 calls, newest first'),
  audit: Joi.array()
    .items(
      Joi.object({ at: at(), actor: Joi.string().required(), action: Joi.string().required(), source: Joi.string() }),
    )
    .required()
    .description('Who read or changed the record: the last 1,000 lines, newest first'),
});
