import Joi from 'joi';
import type { Initiation, PaymentKind, PaymentRecord } from '../../open-banking/payments/initiation';
import { freeText, lineText, nameText, saying } from '../server/conventions';

/** Bodies of UK Open Banking 3.1.11, Payment Initiation: names, lengths and enumerations as published. Nothing is converted. */

const text = (max: number) => Joi.string().max(max);
const AMOUNT = /^\d{1,13}(\.\d{1,5})?$/;

const account = {
  SchemeName: lineText(40).required().example('UK.OBIE.IBAN').description('`UK.OBIE.IBAN`'),
  Identification: text(256)
    .required()
    .example('PT50000201231234567890154')
    .description('The IBAN of an account of this bank, in capital letters without spaces'),
  SecondaryIdentification: text(34),
};

const money = Joi.object({
  Amount: text(19)
    .pattern(AMOUNT)
    .alter(saying({ 'string.pattern.base': 'must be an amount such as "10.00"' }))
    .required()
    .example('10.00'),
  Currency: text(3)
    .pattern(/^[A-Z]{3}$/)
    .alter(saying({ 'string.pattern.base': 'must be an ISO 4217 code of three capital letters' }))
    .required()
    .example('EUR'),
});

const address = {
  StreetName: lineText(70),
  BuildingNumber: lineText(16),
  PostCode: lineText(16),
  CountrySubDivision: lineText(35),
};
const country = text(2)
  .pattern(/^[A-Z]{2}$/)
  .alter(saying({ 'string.pattern.base': 'must be an ISO 3166-1 code of two capital letters' }))
  .example('PT');
const lines = (most: number) => Joi.array().items(lineText(70)).max(most);

const paid = {
  InstructionIdentification: text(35).required().example('INSTR-20400131-1'),
  LocalInstrument: text(50).description('Refused: payments are transfers between accounts of this bank'),
  InstructedAmount: money.required(),
  DebtorAccount: Joi.object({ ...account, Name: nameText(350) }).description(
    'The account that pays. Absent: the customer chooses it',
  ),
  CreditorAccount: Joi.object({ ...account, Name: nameText(350).required().example('Corner Shop') }).required(),
  CreditorPostalAddress: Joi.object({
    AddressType: text(20).valid(
      'Business',
      'Correspondence',
      'DeliveryTo',
      'MailTo',
      'POBox',
      'Postal',
      'Residential',
      'Statement',
    ),
    Department: lineText(70),
    SubDepartment: lineText(70),
    ...address,
    TownName: lineText(35),
    Country: country,
    AddressLine: lines(7),
  }),
  RemittanceInformation: Joi.object({ Unstructured: freeText(140), Reference: text(35) }),
  SupplementaryData: Joi.object().unknown(),
};

const dateTime = () =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/)
    .custom((value: string, helpers) =>
      Number.isNaN(Date.parse(value)) ? helpers.error('string.pattern.base') : value,
    )
    .alter(
      saying({ 'string.pattern.base': 'must be a date and time with its offset, such as 2040-01-31T12:00:00+00:00' }),
    )
    .meta({ format: 'date-time' })
    .example('2040-01-31T12:00:00+00:00');

const INITIATIONS: Record<PaymentKind, Joi.ObjectSchema<Initiation>> = {
  domestic: Joi.object<Initiation>({ ...paid, EndToEndIdentification: text(35).required().example('E2E-20400131-1') }),
  scheduled: Joi.object<Initiation>({
    ...paid,
    EndToEndIdentification: text(35),
    RequestedExecutionDateTime: dateTime().required().description('When it is to be made'),
  }),
};

const risk = Joi.object({
  PaymentContextCode: Joi.string().valid(
    'BillingGoodsAndServicesInAdvance',
    'BillingGoodsAndServicesInArrears',
    'PispPayee',
    'EcommerceMerchantInitiatedPayment',
    'FaceToFacePointOfSale',
    'TransferToSelf',
    'TransferToThirdParty',
    'BillPayment',
    'EcommerceGoods',
    'EcommerceServices',
    'Other',
    'PartyToParty',
  ),
  MerchantCategoryCode: text(4).min(3),
  MerchantCustomerIdentification: text(70),
  ContractPresentInidicator: Joi.boolean().strict(),
  BeneficiaryPrepopulatedIndicator: Joi.boolean().strict(),
  PaymentPurposeCode: text(4).min(3),
  BeneficiaryAccountType: Joi.string().valid(
    'Business',
    'BusinessSavingsAccount',
    'Charity',
    'Collection',
    'Corporate',
    'Ewallet',
    'Government',
    'Investment',
    'ISA',
    'JointPersonal',
    'Pension',
    'Personal',
    'PersonalSavingsAccount',
    'Premier',
    'Wealth',
  ),
  DeliveryAddress: Joi.object({
    ...address,
    TownName: lineText(35).required().example('Lisboa'),
    Country: country.required(),
    AddressLine: lines(2),
  }),
}).description('How the third party judges the risk of the payment');

const consentData = (kind: PaymentKind) => ({
  ...(kind === 'scheduled' && { Permission: Joi.string().valid('Create').required() }),
  ReadRefundAccount: Joi.string()
    .valid('No', 'Yes')
    .description('`Yes`: the payment tells the account that paid, as `Refund`. The page says so to the customer'),
  Initiation: INITIATIONS[kind].required(),
  Authorisation: Joi.object({
    AuthorisationType: Joi.string().valid('Any', 'Single').required(),
    CompletionDateTime: dateTime().description('Until when it must be authorised and paid'),
  }),
  SCASupportData: Joi.object({
    RequestedSCAExemptionType: Joi.string().valid(
      'BillPayment',
      'ContactlessTravel',
      'EcommerceGoods',
      'EcommerceServices',
      'Kiosk',
      'Parking',
      'PartyToParty',
    ),
    AppliedAuthenticationApproach: Joi.string().valid('CA', 'SCA'),
    ReferencePaymentOrderId: text(40),
  }).description('No exemption is applied: the customer confirms amount and payee'),
});

export const consentBody = (kind: PaymentKind) =>
  Joi.object<PaymentRecord>({ Data: Joi.object(consentData(kind)).required(), Risk: risk.required() });

export interface PaymentBody {
  Data: { ConsentId: string; Initiation: Initiation };
  Risk: Record<string, unknown>;
}

export const paymentBody = (kind: PaymentKind) =>
  Joi.object<PaymentBody>({
    Data: Joi.object({
      ConsentId: text(128).required().example('con_01k0000000000000000000000a'),
      Initiation: INITIATIONS[kind].required().description('Equal to that of the consent, member by member'),
    }).required(),
    Risk: risk.required().description('Equal to that of the consent, member by member'),
  });

export interface ConsentParams {
  ConsentId: string;
}
export const consentParams = Joi.object<ConsentParams>({ ConsentId: text(128).required() });

const linked = {
  Links: Joi.object({
    Self: Joi.string().uri().required().example('https://127.0.0.1:8443/open-banking/2.0.0/…'),
  }).required(),
  Meta: Joi.object({ TotalPages: Joi.number().integer().required().example(1) }).required(),
};

export const consentAnswer = (kind: PaymentKind) =>
  Joi.object({
    Data: Joi.object({
      ConsentId: Joi.string().required(),
      CreationDateTime: dateTime().required(),
      Status: Joi.string().valid('AwaitingAuthorisation', 'Authorised', 'Consumed', 'Rejected').required(),
      StatusUpdateDateTime: dateTime().required(),
      ...consentData(kind),
    }).required(),
    Risk: risk.required(),
    ...linked,
  });

export const fundsAnswer = Joi.object({
  Data: Joi.object({
    FundsAvailableResult: Joi.object({
      FundsAvailableDateTime: dateTime().required(),
      FundsAvailable: Joi.boolean().required(),
    }).required(),
  }).required(),
  ...linked,
});

const paymentStatus = () =>
  Joi.string().valid('Pending', 'AcceptedSettlementInProcess', 'AcceptedSettlementCompleted', 'Rejected');

const made = (kind: PaymentKind) => ({
  ConsentId: Joi.string().required(),
  CreationDateTime: dateTime().required(),
  StatusUpdateDateTime: dateTime().required(),
  Refund: Joi.object({
    Account: Joi.object({
      SchemeName: Joi.string().valid('UK.OBIE.IBAN').required(),
      Identification: text(256).required().example('PT50000201231234567890154'),
      Name: text(350).required().example('Ada Lovelace'),
    }).required(),
  }).description(
    'The account that paid, where the consent has `ReadRefundAccount: Yes`. Not of a customer who was erased',
  ),
  Charges: Joi.array().items(
    Joi.object({
      ChargeBearer: Joi.string().valid('BorneByDebtor', 'BorneByCreditor').required(),
      Type: Joi.string().required().example('Tillway.Transfer'),
      Amount: money.required(),
    }),
  ),
  Initiation: INITIATIONS[kind].required(),
});

export const PAYMENT_ANSWERS: Record<PaymentKind, Joi.ObjectSchema> = {
  domestic: Joi.object({
    Data: Joi.object({
      DomesticPaymentId: Joi.string().required(),
      Status: Joi.string().valid('AcceptedSettlementInProcess', 'AcceptedSettlementCompleted', 'Rejected').required(),
      ...made('domestic'),
    }).required(),
    ...linked,
  }),
  scheduled: Joi.object({
    Data: Joi.object({
      DomesticScheduledPaymentId: Joi.string().required(),
      Status: Joi.string()
        .valid('InitiationPending', 'InitiationCompleted', 'InitiationFailed', 'Cancelled')
        .required(),
      ExpectedExecutionDateTime: dateTime().required(),
      ...made('scheduled'),
    }).required(),
    ...linked,
  }),
};

export const detailsAnswer = Joi.object({
  Data: Joi.object({
    PaymentStatus: Joi.array()
      .items(
        Joi.object({
          PaymentTransactionId: Joi.string().required(),
          Status: paymentStatus().required(),
          StatusUpdateDateTime: dateTime().required(),
          StatusDetail: Joi.object({
            Status: Joi.string().required().description('Of a rejected payment a reason of ISO 20022, such as `AM04`'),
            StatusReason: Joi.string().valid('ProprietaryRejection'),
            StatusReasonDescription: Joi.string(),
          }),
        }),
      )
      .required(),
  }).required(),
  ...linked,
});
