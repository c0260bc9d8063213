import Joi from 'joi';
import type { NewTpp, RegisteredTpp, TppMembers, TppPage } from '../../open-banking/tpps/service';
import { TPP_AUTH_METHODS, TPP_PROFILES } from '../../open-banking/tpps/tpp';
import { anyId, id, instant, lineText, nameText, paging, webUrl } from '../server/conventions';

const MAX_PEM = 16_384;

const certificate = () =>
  Joi.string()
    .max(MAX_PEM)
    .example('-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n')
    .description(
      'One X.509 certificate (PEM): self-signed, or from an authority of `AUTH_CLIENT_CA`. RSA with 2048 bits or more, or ' +
        'P-256, P-384, P-521. A self-signed one must be shown as it is. One of an authority is known by its subject, so ' +
        'that a renewed one works without a new registration',
    );
const jwks = () =>
  Joi.object({ keys: Joi.array().items(Joi.object().unknown()).min(1).max(50).required() })
    .example({ keys: [{ kty: 'RSA', kid: 'signing-1', use: 'sig', alg: 'PS256', n: '0vx7…', e: 'AQAB' }] })
    .description('The public keys (RFC 7517) of its signatures, each with a `kid`');

const members = {
  name: nameText(200).min(1).example('Clear View Accounts'),
  profile: Joi.string()
    .valid(...TPP_PROFILES)
    .description(
      '`fapi2`: only pushed authorization requests (RFC 9126) are taken. `fapi1_advanced`: only signed ones, by value or ' +
        'pushed, and the answer is signed (`code id_token`, or JARM); redirect URIs use https',
    ),
  tenantIds: Joi.array()
    .items(id('tenant'))
    .min(1)
    .max(100)
    .unique()
    .description('The banks that it serves. The consents of one that is left out stop working'),
  redirectUris: Joi.array()
    .items(webUrl().example('https://tpp.example/callback'))
    .min(1)
    .max(20)
    .unique()
    .description('Where customers are sent back to: https. In the sandbox also http on the loopback. No fragment'),
  jwks: jwks(),
  jwksUri: webUrl()
    .example('https://tpp.example/jwks.json')
    .description('Where its public keys are. Instead of `jwks`'),
  iss: lineText(200).description('What its signatures name as their issuer. By default the `tppId`'),
};

export type TppBody = Omit<NewTpp, 'id'>;
export const tppBody = Joi.object<TppBody>({
  ...members,
  name: members.name.required(),
  profile: members.profile.default('fapi1'),
  tenantIds: members.tenantIds.required(),
  redirectUris: members.redirectUris.required(),
  certificate: certificate().required(),
}).xor('jwks', 'jwksUri');

export type TppChangeBody = Partial<TppMembers>;
export const tppChangeBody = Joi.object<TppChangeBody>(members).oxor('jwks', 'jwksUri');

export interface CertificateBody {
  certificate: string;
}
export const certificateBody = Joi.object<CertificateBody>({ certificate: certificate().required() });

export interface TppParams {
  tppId: string;
}
export const tppParams = Joi.object<TppParams>({ tppId: anyId() });

export const tppQuery = Joi.object<TppPage>({
  ...paging(),
  tenantId: Joi.string().max(100).description('Those that serve this bank'),
  status: Joi.string().valid('enabled', 'disabled'),
});

export const tppSchema = Joi.object({
  tppId: id('tpp').required().description('Its `client_id` at the authorization server'),
  name: members.name.required(),
  profile: members.profile.required(),
  tenantIds: Joi.array().items(id('tenant')).required(),
  redirectUris: Joi.array().items(Joi.string()).required(),
  certificateSubject: Joi.string().required().description('RFC 4514').example('O=Clear View,CN=clear-view'),
  certificateThumbprint: Joi.string().required().description('`x5t#S256` of RFC 8705: SHA-256, base64url'),
  certificateExpiresAt: instant().required(),
  authMethod: Joi.string()
    .valid(...TPP_AUTH_METHODS)
    .required()
    .description('RFC 8705, section 2'),
  jwks: jwks().description('Absent: see `jwksUri`'),
  jwksUri: Joi.string(),
  iss: Joi.string().required(),
  status: Joi.string().valid('enabled', 'disabled').required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export function presentTpp(tpp: RegisteredTpp) {
  return {
    tppId: tpp.id,
    name: tpp.name,
    profile: tpp.profile,
    tenantIds: tpp.tenant_ids,
    redirectUris: tpp.redirect_uris,
    certificateSubject: tpp.certificate_subject,
    certificateThumbprint: tpp.certificate_thumbprint,
    certificateExpiresAt: tpp.certificate_expires_at,
    authMethod: tpp.auth_method,
    jwks: tpp.jwks ?? undefined,
    jwksUri: tpp.jwks_uri ?? undefined,
    iss: tpp.iss,
    status: tpp.disabled_at ? 'disabled' : 'enabled',
    createdAt: tpp.created_at,
    updatedAt: tpp.updated_at,
  };
}
