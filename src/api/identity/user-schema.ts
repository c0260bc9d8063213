import Joi from 'joi';
import { MAX_PASSWORD_LENGTH } from '../../people/identity/passwords';
import { CLIENT_ROLES } from '../../people/identity/principal';
import { MIN_USER_PASSWORD_LENGTH } from '../../people/identity/users/password-strength';
import { SECOND_FACTOR_KINDS } from '../../people/identity/users/sessions';
import { id, instant } from '../server/conventions';

const email = () => Joi.string().email({ tlds: false }).max(254).example('ada@example.com');
const newPassword = () =>
  Joi.string()
    .min(MIN_USER_PASSWORD_LENGTH)
    .max(MAX_PASSWORD_LENGTH)
    .description('We refuse common passwords, passwords made from the user’s data, and the user’s last four');

export interface PasswordBody {
  token: string;
  password: string;
}
export const passwordBody = Joi.object<PasswordBody>({
  token: Joi.string().min(1).max(200).required().description('The token in the link'),
  password: newPassword().required(),
});
export const passwordSetSchema = Joi.object({
  userId: id('user').required(),
  role: Joi.string()
    .valid(...CLIENT_ROLES)
    .required(),
  organizationId: id('organization'),
});

export interface UserTokenBody {
  email: string;
  password: string;
  code?: string;
}
export const userTokenBody = Joi.object<UserTokenBody>({
  email: email().required(),
  password: Joi.string().min(1).max(MAX_PASSWORD_LENGTH).required(),
  code: Joi.string().min(6).max(20).description('A code from the authenticator app, or a recovery code'),
});
export const userTokenSchema = Joi.object({
  access_token: Joi.string().required(),
  token_type: Joi.string().valid('Bearer').required(),
  expires_in: Joi.number().integer().required().description('Lifetime of the token in seconds'),
  scope: Joi.string()
    .valid(...CLIENT_ROLES)
    .required(),
  userId: id('user').required(),
  tenantId: id('tenant'),
  organizationId: id('organization'),
});

/** What somebody has shown beside the password. */
export const secondFactorKind = () =>
  Joi.string()
    .valid(...SECOND_FACTOR_KINDS)
    .description('What you have shown beside the password; a passkey counts as both');

export const userSessionSchema = Joi.object({
  userId: id('user').required(),
  name: Joi.string().required(),
  email: Joi.string().required(),
  role: Joi.string()
    .valid(...CLIENT_ROLES)
    .required(),
  tenantId: id('tenant'),
  organizationId: id('organization'),
  sessionId: Joi.string().required(),
  secondFactor: secondFactorKind(),
  mustEnrol: Joi.boolean()
    .required()
    .description('Your role needs a second factor. Add one: until then all other routes answer 403'),
  createdAt: instant().required().description('When you signed in'),
  expiresAt: instant().required().description('When the session ends. Each request with the cookie moves it'),
  endsAt: instant().description('When the session of a cookie ends in any case'),
});

export const factorsSchema = Joi.object({
  required: Joi.boolean().required().description('Your role needs at least one second factor'),
  authenticator: Joi.boolean().required().description('You have a confirmed authenticator app'),
  passkeys: Joi.number().integer().required().description('How many you have'),
  recoveryCodes: Joi.number().integer().required().description('How many are left'),
});

export interface ResetBody {
  email: string;
}
export const resetBody = Joi.object<ResetBody>({ email: email().required() });
