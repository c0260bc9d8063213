import Joi from 'joi';
import {
  BANK_ACCOUNT_STATUSES,
  type BankAccountStatus,
  type CsvMapping,
  DATE_FORMS,
} from '../../commerce/bank-statements/account';
import { FORMATS } from '../../commerce/bank-statements/parsed';
import {
  OUTCOMES,
  type Outcome,
  STATEMENT_STATUSES,
  type StatementStatus,
} from '../../commerce/bank-statements/statement';
import { ENTRY_STATUSES } from '../../commerce/bank-transfers/entry';
import { REQUEST_STATUSES, type RequestStatus } from '../../commerce/bank-transfers/request';
import { RETURN_KINDS, RETURN_STATUSES, type ReturnStatus } from '../../commerce/bank-transfers/return';
import { PAYMENT_STATUSES } from '../../domain/states/payment';
import { actionSchema } from '../records/action';
import {
  amount,
  anyId,
  currency,
  day,
  formed,
  freeText,
  id,
  instant,
  lineText,
  nameText,
  type Paging,
  paging,
  text,
  webUrl,
} from '../server/conventions';
import { iban } from '../server/iban';

const money = () => Joi.string().example('10.00');
const maskedIban = () => Joi.string().example('DE**3000');
const bic = () => formed(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'must be a BIC, such as DEUTDEFF').example('DEUTDEFF');

const column = () => lineText(100).min(1);
const csv = Joi.object<CsvMapping>({
  delimiter: Joi.string().length(1).required().example(';'),
  decimal: Joi.string().valid('.', ',').required().example(','),
  dateForm: Joi.string()
    .valid(...DATE_FORMS)
    .required()
    .example('DD.MM.YYYY'),
  encoding: Joi.string().valid('utf-8', 'windows-1252').default('utf-8'),
  skipLines: Joi.number().integer().min(0).max(100).default(0).description('Lines before the headings'),
  columns: Joi.object({
    date: column().required().example('Buchungstag'),
    amount: column().example('Betrag').description('Signed. Else `credit` and `debit`'),
    credit: column(),
    debit: column(),
    currency: column(),
    text: column().required().example('Verwendungszweck'),
    creditorReference: column(),
    payerName: column(),
    payerIban: column(),
    id: column().description('The bank’s own reference of the line'),
  })
    .xor('amount', 'credit')
    .required()
    .description('The heading of each column'),
}).description('How the bank writes its CSV files');

export interface AccountBody {
  iban: string;
  bic?: string;
  bankName?: string;
  holder: string;
  currency: string;
  status: BankAccountStatus;
  csv?: CsvMapping;
}
export const accountBody = Joi.object<AccountBody>({
  iban: iban().required(),
  bic: bic(),
  bankName: nameText(70).min(1),
  holder: nameText(70).min(1).required().description('As the bank has it: banks compare it'),
  currency: currency().required(),
  status: Joi.string()
    .valid(...BANK_ACCOUNT_STATUSES)
    .default('active')
    .description('No new payment is asked to a closed account'),
  csv,
});

export interface AccountParams {
  accountId: string;
}
export const accountParams = Joi.object<AccountParams>({ accountId: anyId() });

export const accountSchema = Joi.object({
  accountId: id('bankAccount').required(),
  iban: iban().required(),
  bic: bic(),
  bankName: Joi.string(),
  holder: Joi.string().required(),
  currency: currency().required(),
  status: Joi.string()
    .valid(...BANK_ACCOUNT_STATUSES)
    .required(),
  csv,
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const listQuery = Joi.object<Paging>({ ...paging() });

export interface TransferBody {
  merchantTransactionId: string;
  amount: string;
  currency: string;
  payerName?: string;
  accountId?: string;
  orderId?: string;
  expiresAt?: string;
  notificationUrl?: string;
  descriptor?: string;
  remark?: string;
  terminalId?: string;
  customer?: { customerId?: string; firstName?: string; lastName?: string; email?: string };
}
export const transferBody = Joi.object<TransferBody>({
  merchantTransactionId: Joi.string().min(1).max(64).required(),
  amount: amount().required(),
  currency: currency().required(),
  payerName: nameText(140)
    .min(1)
    .description('Tells the payer of a transfer without a reference, together with the amount'),
  accountId: Joi.string().max(64).description('Default: the newest active account of the tenant in the currency'),
  orderId: Joi.string().max(64).description('The order that is paid. Its pieces are held as long as the payer may pay'),
  expiresAt: instant()
    .example('2040-01-31T12:00:00.000Z', { override: true })
    .description('Until when the payer may pay. Default and latest: after `PAYER_TRANSFER_TTL_MS`'),
  notificationUrl: webUrl(),
  descriptor: nameText(64).allow(''),
  remark: freeText(255).allow(''),
  terminalId: Joi.string().max(64),
  customer: Joi.object({
    customerId: Joi.string().max(64).description('A customer of the tenant. The tenant’s limits count then'),
    firstName: nameText(100).allow(''),
    lastName: nameText(100).allow(''),
    email: Joi.string().email({ tlds: false }).max(254),
  }),
});

export interface TransferParams {
  paymentId: string;
}
export const transferParams = Joi.object<TransferParams>({ paymentId: anyId() });

export interface TransferQuery extends Paging {
  status?: RequestStatus;
  from?: string;
  to?: string;
}
export const transferQuery = Joi.object<TransferQuery>({
  ...paging(),
  status: Joi.string()
    .valid(...REQUEST_STATUSES)
    .description('`open`: waits for money. `paid`: has all of it. `closed`: takes none any more'),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
});

const line = {
  paymentId: id('payment').required(),
  organizationId: id('organization').required(),
  merchantTransactionId: Joi.string().required(),
  transactionStatus: Joi.string()
    .valid(...PAYMENT_STATUSES)
    .required(),
  detail: Joi.string().required(),
  processor: Joi.string().required().description('`bank`: the tenant’s own account'),
  accountId: id('bankAccount'),
  reference: Joi.string().example('RF18539007547034').description('Structured creditor reference, ISO 11649'),
  printedReference: Joi.string().example('RF18 5390 0754 7034'),
  amount: money().required(),
  currency: currency().required(),
  received: money().required(),
  missing: money().required(),
  refunded: money().required(),
  fee: money().required().description('What the seller pays the tenant, once it is settled'),
  expiresAt: instant(),
  createdAt: instant().required(),
  settledAt: instant(),
};
export const transferLineSchema = Joi.object(line);

export const returnSchema = Joi.object({
  returnId: id('bankReturn').required(),
  kind: Joi.string()
    .valid(...RETURN_KINDS)
    .required()
    .description('`excess`: more than was asked for. `part`: not all of it in time. `unmatched`: out of suspense'),
  paymentId: id('payment'),
  entryId: id('bankEntry'),
  amount: money().required(),
  currency: currency().required(),
  status: Joi.string()
    .valid(...RETURN_STATUSES)
    .required()
    .description('`waiting`: nobody knows the account of the payer'),
  detail: Joi.string().required(),
  payerName: Joi.string(),
  payerIban: maskedIban(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const transferSchema = Joi.object({
  ...line,
  action: actionSchema,
  arrivals: Joi.array()
    .items(
      Joi.object({
        entryId: id('bankEntry').required(),
        amount: money().required(),
        bookedOn: day().required(),
        status: Joi.string()
          .valid(...ENTRY_STATUSES)
          .required(),
        bankReference: Joi.string(),
      }),
    )
    .required(),
  returns: Joi.array().items(returnSchema).required(),
});

export interface UploadQuery {
  accountId?: string;
}
export const uploadQuery = Joi.object<UploadQuery>({
  accountId: Joi.string().max(64).description('Required for CSV, and where a file does not name its account by IBAN'),
});

export interface StatementParams {
  statementId: string;
}
export const statementParams = Joi.object<StatementParams>({ statementId: anyId() });

export interface StatementQuery extends Paging {
  accountId?: string;
  status?: StatementStatus;
}
const statementStatus = () => Joi.string().valid(...STATEMENT_STATUSES);
export const statementQuery = Joi.object<StatementQuery>({
  ...paging(),
  accountId: Joi.string().max(64),
  status: statementStatus(),
});

const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, Joi.number().integer()]));
export const statementSchema = Joi.object({
  statementId: id('bankStatement').required(),
  accountId: id('bankAccount').required(),
  format: Joi.string()
    .valid(...FORMATS)
    .required(),
  version: Joi.string().example('08'),
  reference: Joi.string().description('What the bank calls it'),
  currency: currency().required(),
  openingBalance: money(),
  closingBalance: money(),
  closingOn: day(),
  lines: Joi.number().integer().required(),
  credits: money().required(),
  debits: money().required(),
  bookedLines: Joi.number().integer().required().description('How far it is booked'),
  status: statementStatus().required(),
  outcomes: Joi.object(outcomes).description('How many lines came to what, so far'),
  createdAt: instant().required(),
  bookedAt: instant(),
});
export const uploadedSchema = Joi.object({
  statements: Joi.array().items(statementSchema).required(),
  known: Joi.boolean().required().description('The same file was there before'),
});

export interface LineQuery extends Paging {
  outcome?: Outcome;
}
const outcome = () =>
  Joi.string()
    .valid(...OUTCOMES)
    .description(
      '`matched`: counts towards a payment. `returned`: goes back to its payer. `proposed`: a person confirms it. ' +
        '`unmatched`: in suspense. `known`: another statement told of it. `outgoing`: the tenant paid. `other`: taken back by the bank',
    );
export const lineQuery = Joi.object<LineQuery>({ ...paging(), outcome: outcome() });
export const lineSchema = Joi.object({
  number: Joi.number().integer().required(),
  direction: Joi.string().valid('credit', 'debit').required(),
  reversal: Joi.boolean().required(),
  amount: money().required(),
  bookedOn: day().required(),
  bankReference: Joi.string(),
  creditorReference: Joi.string(),
  endToEndId: Joi.string(),
  text: text(1_000).required(),
  payerName: Joi.string(),
  payerIban: maskedIban(),
  outcome: outcome(),
});

export interface EntryParams {
  entryId: string;
}
export const entryParams = Joi.object<EntryParams>({ entryId: anyId() });

export interface ReasonBody {
  reason: string;
}
export const reasonBody = Joi.object<ReasonBody>({ reason: freeText(500).min(1).required() });

export const proposalSchema = Joi.object({
  entryId: id('bankEntry').required(),
  status: Joi.string()
    .valid(...ENTRY_STATUSES)
    .required(),
  accountId: id('bankAccount').required(),
  paymentId: id('payment'),
  why: Joi.string(),
  needsSecond: Joi.boolean().description('One person has confirmed it, and another one has to'),
  amount: money().required(),
  currency: currency().required(),
  bookedOn: day().required(),
  creditorReference: Joi.string(),
  text: text(1_000).required(),
  payerName: Joi.string(),
  payerIban: maskedIban(),
  createdAt: instant().required(),
});

export interface ReturnParams {
  returnId: string;
}
export const returnParams = Joi.object<ReturnParams>({ returnId: anyId() });

export interface ReturnQuery extends Paging {
  status?: ReturnStatus;
}
export const returnQuery = Joi.object<ReturnQuery>({
  ...paging(),
  status: Joi.string().valid(...RETURN_STATUSES),
});

export interface ReturnAccountBody {
  iban: string;
  holder: string;
}
export const returnAccountBody = Joi.object<ReturnAccountBody>({
  iban: iban().required(),
  holder: nameText(70).min(1).required(),
});
