import Joi from 'joi';
import type { CommunicationChannel } from '../../people/customer-access/addresses';
import type { CredentialQuestion } from '../../people/customer-access/credentials-lookup';
import type { IdentifierType } from '../../people/customers/identifiers';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../people/identity/passwords';
import { formed, id, instant, lineText, saying, text } from '../server/conventions';

const IDENTIFIER_TYPES = ['email', 'phone', 'username'] as const satisfies readonly IdentifierType[];

const value = () => Joi.string().min(1).max(254).example('ada@example.com');
const sixDigits = () => formed(/^\d{6}$/, 'must be the six digits of the code').example('123456');
/** Six digits, or a recovery code. */
const anyCode = () => Joi.string().min(6).max(20).example('123456');
const sessionId = () => Joi.string().min(1).max(64).example('ses_01hxyzabcdefghjkmnpqrstvwx');

export const twoFactorSchema = Joi.object({
  id: id('twoFactorSettings').required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  tenantId: id('tenant').required(),
  userId: Joi.string().required(),
  login: Joi.boolean().required(),
  trading: Joi.boolean().required(),
  funding: Joi.boolean().required(),
});

export interface CredentialBody {
  credential: CredentialQuestion;
}
export const credentialBody = Joi.object<CredentialBody>({
  credential: Joi.object({
    credentialType: Joi.string()
      .valid(...IDENTIFIER_TYPES)
      .required()
      .description('The user name is your own `id` of the customer'),
    value: value().required(),
    code: Joi.string()
      .allow('')
      .max(20)
      .description('The code that we sent. If it is absent or empty, we send a new one'),
    communicationChannel: Joi.object<CommunicationChannel>({
      name: lineText(100).allow(''),
      type: Joi.string().valid('phone', 'email'),
      addressUrl: text(254),
    }).description('Chooses one of the verified addresses. You cannot give a new address here'),
  }).required(),
});

export const credentialsSchema = Joi.array().items(
  Joi.object({
    userId: Joi.string().required(),
    customerId: id('customer').required(),
    personId: Joi.string().required(),
    tenantId: id('tenant').required(),
    organizationId: Joi.string().allow('').required(),
    credentials: Joi.array()
      .items(
        Joi.object({
          sessionId: Joi.string().required(),
          value: Joi.string().required(),
          token: Joi.string()
            .allow('')
            .required()
            .description('Token of the customer, valid for 15 minutes. Empty if you sent no code'),
        }),
      )
      .required()
      .description('Empty if the customer has no verified address'),
    twoFaInfo: Joi.array().items(twoFactorSchema).required(),
  }),
);

export interface VerificationBody {
  type: 'email' | 'phone';
  value: string;
}
export const verificationBody = Joi.object<VerificationBody>({
  type: Joi.string().valid('email', 'phone').required(),
  value: value().required().description('The address as in the customer’s record; spelling differences do not matter'),
});
export const sessionSchema = Joi.object({
  sessionId: Joi.string().required(),
  method: Joi.string().valid('email', 'sms', 'totp').required(),
  expiresAt: instant().required(),
});
export interface VerificationAnswer {
  sessionId: string;
  code: string;
}
export const verificationAnswer = Joi.object<VerificationAnswer>({
  sessionId: sessionId().required(),
  code: sixDigits().required(),
});
export const verifiedSchema = Joi.object({
  type: Joi.string().valid('email', 'phone').required(),
  verified: Joi.boolean().required(),
});

export interface TwoFactorBody {
  login?: boolean;
  trading?: boolean;
  funding?: boolean;
  customerId?: string;
}
export const twoFactorBody = Joi.object<TwoFactorBody>({
  login: Joi.boolean(),
  trading: Joi.boolean(),
  funding: Joi.boolean(),
  customerId: Joi.string()
    .valid(Joi.ref('$params.customerId'))
    .alter(saying({ 'any.only': 'must be the customer in the path' })),
});

export const totpSchema = Joi.object({
  secret: Joi.string().required().description('Base32. It is shown only once'),
  uri: Joi.string().required().description('The `otpauth:` URI in the QR code'),
  png: Joi.string().required().description('QR code as a data URI'),
  svg: Joi.string().required().description('QR code as a data URI'),
});
export const totpAnswer = Joi.object<{ code: string }>({ code: sixDigits().required() });
export const recoveryCodes = () => Joi.array().items(Joi.string()).description('Shown only once. Each code works once');
export const recoveryCodesSchema = Joi.object({ recoveryCodes: recoveryCodes().required() });

const password = () => Joi.string().max(256).example('correct horse battery staple');
export interface SignInBody {
  tenantId: string;
  email?: string;
  phone?: string;
  username?: string;
  password: string;
  sessionId?: string;
  code?: string;
}
export const signInBody = Joi.object<SignInBody>({
  tenantId: Joi.string().max(100).required(),
  email: value(),
  phone: value(),
  username: value(),
  password: password().required(),
  sessionId: sessionId(),
  code: anyCode(),
})
  .xor('email', 'phone', 'username')
  .and('sessionId', 'code');
export const tokenSchema = Joi.object({
  access_token: Joi.string().required(),
  token_type: Joi.string().valid('Bearer').required(),
  expires_in: Joi.number().integer().required(),
  customerId: id('customer').required(),
});

export interface ResetBody {
  tenantId: string;
  email: string;
}
export const resetBody = Joi.object<ResetBody>({
  tenantId: Joi.string().max(100).required(),
  email: value().required(),
});
export interface NewPasswordBody {
  token: string;
  password: string;
}
export const newPasswordBody = Joi.object<NewPasswordBody>({
  token: Joi.string().max(100).required(),
  password: password().min(MIN_PASSWORD_LENGTH).max(MAX_PASSWORD_LENGTH).required(),
});
