import Joi from 'joi';
import { MAX_PAGE, MIN_PAGE } from '../../open-banking/account-information/service';
import { currency, formed, say } from '../server/conventions';

/** What requests and answers look like: UK Open Banking 3.1.11, with the members that this bank has. */

export interface AccountParams {
  AccountId: string;
}

const AccountId = Joi.string().max(40).required().example('104').description('As in the list of accounts');
export const accountParams = Joi.object<AccountParams>({ AccountId });

export interface StatementParams extends AccountParams {
  StatementId: string;
}

export const statementParams = Joi.object<StatementParams>({
  AccountId,
  StatementId: Joi.string().max(40).required().example('2026-10').description('As in the list of statements'),
});

export interface PageQuery {
  limit: number;
  cursor?: string;
}

export interface TransactionsQuery extends PageQuery {
  fromBookingDateTime?: string;
  toBookingDateTime?: string;
}

export interface StatementsQuery extends PageQuery {
  fromStatementDateTime?: string;
  toStatementDateTime?: string;
}

const page = {
  limit: Joi.number()
    .integer()
    .min(MIN_PAGE)
    .max(MAX_PAGE)
    .default(100)
    .description('How many a page holds at most. Only the last page holds fewer'),
  cursor: Joi.string()
    .max(1_000)
    .description('Where the page begins. `Links` has the addresses of the pages beside it'),
};

/** A day, or a time of it. What follows as a time zone is ignored, as the standard says. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const FORM = 'must be a day or a time of ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00';

/** When an entry was booked. Undefined for a time that there is not. */
export function bookingTime(text: string): Date | undefined {
  const [, day, time = '00:00'] = /^(.{10})(?:T([\d:.]+))?/.exec(text) ?? [];
  const at = new Date(`${day}T${time}Z`);
  // Date takes 30 February for 2 March.
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? undefined : at;
}

const booked = () =>
  formed(ISO_8601, FORM).custom((text: string, helpers) =>
    !ISO_8601.test(text) || bookingTime(text) ? text : say(helpers, FORM),
  );

export const pageQuery = Joi.object<PageQuery>(page);
export const transactionsQuery = Joi.object<TransactionsQuery>({
  ...page,
  fromBookingDateTime: booked()
    .example('2026-01-01T00:00:00')
    .description('Booked then or later. UTC; a time zone is ignored, as the standard says'),
  toBookingDateTime: booked().example('2026-01-31').description('Booked then or earlier. A day alone is its beginning'),
});

export const statementsQuery = Joi.object<StatementsQuery>({
  ...page,
  fromStatementDateTime: booked()
    .example('2026-01-01')
    .description('Begins then or later. UTC; a time zone is ignored, as the standard says'),
  toStatementDateTime: booked().example('2026-10-31').description('Ends then or earlier. A day alone is its beginning'),
});

const id = (what: string) => Joi.string().max(40).required().description(what);
const accountId = id('The account').example('104');
const time = () => Joi.string().isoDate().example('2026-01-31T12:00:00.000Z');
const amount = (what: string) =>
  Joi.object({
    Amount: Joi.string().required().example('10.00'),
    Currency: currency().required(),
  }).description(what);
const indicator = Joi.string()
  .valid('Credit', 'Debit')
  .required()
  .description('Of a balance: `Debit` below zero. Of an entry: `Debit` takes from the account');
const cashAccount = Joi.object({
  SchemeName: Joi.string()
    .valid('UK.OBIE.IBAN', 'UK.OBIE.Paym', 'Tillway.Alias', 'Tillway.CustomerId')
    .required()
    .description(
      'What identifies it. `UK.OBIE.Paym`: a telephone number. `Tillway.Alias`: an e-mail address or a handle',
    ),
  Identification: Joi.string().max(256).required(),
  Name: Joi.string().max(350),
});

const bodies = (name: string, item: Joi.ObjectSchema) => body(name, Joi.array().items(item));
const body = (name: string, content: Joi.Schema) =>
  Joi.object({
    Data: Joi.object({ [name]: content.required() }).required(),
    Links: Joi.object({
      Self: Joi.string().uri().required(),
      First: Joi.string().uri(),
      Prev: Joi.string().uri(),
      Next: Joi.string().uri(),
    }).required(),
    Meta: Joi.object({
      TotalPages: Joi.number().integer().description('Where there is one page alone. Longer lists are not counted'),
      FirstAvailableDateTime: time().description('The customer shares nothing that was booked earlier'),
      LastAvailableDateTime: time().description('The customer shares nothing that was booked later'),
    }).required(),
  });

export const accountsAnswer = bodies(
  'Account',
  Joi.object({
    AccountId: accountId,
    Status: Joi.string().valid('Enabled', 'Disabled', 'Deleted').required(),
    Currency: currency().required(),
    AccountType: Joi.string().valid('Personal', 'Business').required(),
    AccountSubType: Joi.string().valid('Wallet').required(),
    Description: Joi.string().required(),
    OpeningDate: time().required(),
    Account: Joi.array().items(cashAccount).description('With ReadAccountsDetail: its IBAN and the name of its owner'),
  }),
);

export const balancesAnswer = bodies(
  'Balance',
  Joi.object({
    AccountId: accountId,
    CreditDebitIndicator: indicator,
    Type: Joi.string()
      .valid('InterimAvailable', 'InterimBooked')
      .required()
      .description('`InterimBooked` includes what is held and what is still to be settled'),
    DateTime: time().required(),
    Amount: amount('Never with a sign').required(),
  }),
);

export const transactionsAnswer = bodies(
  'Transaction',
  Joi.object({
    AccountId: accountId,
    TransactionId: Joi.string().max(210).required().description('Of this entry of this account for good'),
    TransactionReference: Joi.string().max(210).required().description('The top-up, refund or transfer it belongs to'),
    CreditDebitIndicator: indicator,
    Status: Joi.string().valid('Booked').required(),
    TransactionMutability: Joi.string().valid('Immutable').required(),
    BookingDateTime: time().required(),
    ValueDateTime: time().required(),
    Amount: amount('Never with a sign').required(),
    BankTransactionCode: Joi.object({ Code: Joi.string().required(), SubCode: Joi.string().required() }).description(
      'Of transfers: family and sub-family of ISO 20022',
    ),
    ProprietaryBankTransactionCode: Joi.object({
      Code: Joi.string().required(),
      Issuer: Joi.string().required(),
    }).required(),
    TransactionInformation: Joi.string().max(500).description('With ReadTransactionsDetail'),
    Balance: Joi.object({
      CreditDebitIndicator: indicator,
      Type: Joi.string().valid('InterimBooked').required(),
      Amount: amount('Never with a sign').required(),
    }).description('After this entry. With ReadTransactionsDetail, where the consent shows credits and debits'),
    CreditorAccount: cashAccount.description('Of a debit to another account of this bank. With ReadTransactionsDetail'),
    DebtorAccount: cashAccount.description(
      'Of a credit from another account of this bank. With ReadTransactionsDetail',
    ),
  }),
);

export const beneficiariesAnswer = bodies(
  'Beneficiary',
  Joi.object({
    AccountId: accountId,
    BeneficiaryId: id('The saved recipient'),
    BeneficiaryType: Joi.string().valid('Ordinary').required(),
    CreditorAccount: cashAccount.description('With ReadBeneficiariesDetail'),
  }),
);

export const directDebitsAnswer = bodies(
  'DirectDebit',
  Joi.object({
    AccountId: accountId,
    DirectDebitId: id('The mandate'),
    MandateIdentification: Joi.string().max(35).required(),
    DirectDebitStatusCode: Joi.string().valid('Active', 'Inactive').required(),
    Name: Joi.string().max(70).required().description('Who collects'),
  }),
);

export const standingOrdersAnswer = bodies(
  'StandingOrder',
  Joi.object({
    AccountId: accountId,
    StandingOrderId: id('The standing order'),
    Frequency: Joi.string().required().example('IntrvlMnthDay:01:15'),
    Reference: Joi.string().max(35),
    FirstPaymentDateTime: time().required(),
    FirstPaymentAmount: amount('Of each payment').required(),
    NextPaymentDateTime: time(),
    NextPaymentAmount: amount('Of each payment'),
    FinalPaymentDateTime: time(),
    FinalPaymentAmount: amount('Of each payment'),
    StandingOrderStatusCode: Joi.string().valid('Active', 'Inactive').required().description('`Inactive`: paused'),
    CreditorAccount: cashAccount.description('With ReadStandingOrdersDetail'),
  }),
);

const party = {
  PartyId: id('The customer'),
  PartyType: Joi.string().valid('Sole').required(),
  Name: Joi.string().max(350).example('Ada Lovelace'),
  FullLegalName: Joi.string().max(350),
  LegalStructure: Joi.string().valid('UK.OBIE.Individual').description('Of a person'),
  EmailAddress: Joi.string().max(256).example('ada@example.com'),
  Phone: Joi.string().max(40).example('+351-212345678'),
  Mobile: Joi.string().max(40).example('+351-912345678'),
  Address: Joi.array()
    .items(
      Joi.object({
        StreetName: Joi.string().max(70),
        BuildingNumber: Joi.string().max(16),
        PostCode: Joi.string().max(16),
        TownName: Joi.string().max(35),
        CountrySubDivision: Joi.string().max(35),
        Country: Joi.string().length(2).required().example('PT'),
      }),
    )
    .description('Those whose country is a code of ISO 3166-1'),
};
const accountParty = Joi.object({ ...party, AccountRole: Joi.string().valid('UK.OBIE.Principal').required() });

export const partyAnswer = body('Party', Joi.object(party));
export const accountPartyAnswer = body('Party', accountParty);
export const partiesAnswer = bodies('Party', accountParty);

export const statementsAnswer = bodies(
  'Statement',
  Joi.object({
    AccountId: accountId,
    StatementId: id('Its month, in UTC').example('2026-10'),
    Type: Joi.string().valid('RegularPeriodic', 'Interim').required().description('`Interim`: the month is not over'),
    StartDateTime: time().required(),
    EndDateTime: time().required().description('The end of the month; of a month that is not over: now'),
    CreationDateTime: time().required(),
    StatementAmount: Joi.array()
      .items(
        Joi.object({
          Type: Joi.string()
            .valid('UK.OBIE.StartingBalance', 'UK.OBIE.TotalCredits', 'UK.OBIE.TotalDebits', 'UK.OBIE.ClosingBalance')
            .required(),
          CreditDebitIndicator: indicator,
          Amount: amount('Never with a sign').required(),
        }),
      )
      .description('With ReadStatementsDetail'),
  }),
);
