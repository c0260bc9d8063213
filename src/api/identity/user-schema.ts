import Joi from 'joi';
import { MAX_PASSWORD_LENGTH } from '../../people/identity/passwords';
import { CLIENT_ROLES } from '../../people/identity/principal';
import { MIN_USER_PASSWORD_LENGTH } from '../../people/identity/users/password-strength';
import { id } from '../server/conventions';

const email = () => Joi.string().email({ tlds: false }).max(254).example('ada@example.com');
const newPassword = () =>
  Joi.string()
    .min(MIN_USER_PASSWORD_LENGTH)
    .max(MAX_PASSWORD_LENGTH)
    .description('We refuse common passwords and passwords made from the user’s data');

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

export interface ResetBody {
  email: string;
}
export const resetBody = Joi.object<ResetBody>({ email: email().required() });
