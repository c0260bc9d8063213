import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';
import { anyId, formed, id, instant, nameText } from '../server/conventions';
import { recoveryCodes } from './schema';

const MAX_BINARY = 16_000;
const base64url = () => formed(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding').max(MAX_BINARY);
const name = () => nameText(60).min(1).example('Laptop');

/** What browsers send, as WebAuthn Level 3 defines it. They may add members. */
const credential = (response: Joi.PartialSchemaMap) =>
  Joi.object({
    id: base64url().required(),
    rawId: base64url().required(),
    type: Joi.string().valid('public-key').required(),
    authenticatorAttachment: Joi.string().max(40),
    clientExtensionResults: Joi.object().unknown(),
    response: Joi.object({ clientDataJSON: base64url().required(), ...response })
      .unknown()
      .required(),
  }).unknown();

export interface NewPasskeyBody {
  name: string;
  credential: RegistrationResponseJSON;
}
export const newPasskeyBody = Joi.object<NewPasskeyBody>({
  name: name().required(),
  credential: credential({
    attestationObject: base64url().required(),
    transports: Joi.array().items(Joi.string().max(40)).max(10),
  })
    .required()
    .description('RegistrationResponseJSON: the answer of `navigator.credentials.create()` as JSON'),
});

export interface PasskeySignInBody {
  credential: AuthenticationResponseJSON;
}
export const passkeySignInBody = Joi.object<PasskeySignInBody>({
  credential: credential({
    authenticatorData: base64url().required(),
    signature: base64url().required(),
    userHandle: base64url(),
  })
    .required()
    .description('AuthenticationResponseJSON: the answer of `navigator.credentials.get()` as JSON'),
});

export interface PasskeyNameBody {
  name: string;
}
export const passkeyNameBody = Joi.object<PasskeyNameBody>({ name: name().required() });

export interface PasskeyParams {
  passkeyId: string;
}
export const passkeyParams = Joi.object<PasskeyParams>({ passkeyId: anyId() });

const members = {
  passkeyId: id('passkey').required(),
  name: Joi.string().required(),
  createdAt: instant().required(),
  usedAt: instant().description('When somebody last signed in with it'),
};
export const passkeySchema = Joi.object(members);
export const newPasskeySchema = Joi.object({ ...members, recoveryCodes: recoveryCodes() });
export const passkeysSchema = Joi.object({ data: Joi.array().items(passkeySchema).required() });
/** As the browser takes it. */
export const optionsSchema = Joi.object({ challenge: Joi.string().required() }).unknown();
