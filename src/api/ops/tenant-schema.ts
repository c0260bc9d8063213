import Joi from 'joi';
import { E164 } from '../../domain/alias';
import { TENANT_STATUSES } from '../../domain/states/tenant';
import { METHOD_CATALOGUE } from '../../money/routing/method-catalogue';
import type { NewTenant, Tenant, TenantFilter } from '../../people/onboarding/tenants';
import { anyId, country, currency, formed, id, instant, nameText, paging } from '../server/conventions';
import { reason } from './payout-schema';

const METHOD_IDS = METHOD_CATALOGUE.map((method) => method.id);
const status = () => Joi.string().valid(...TENANT_STATUSES);
const methods = () =>
  Joi.array()
    .items(
      Joi.number()
        .integer()
        .valid(...METHOD_IDS),
    )
    .unique()
    .max(METHOD_IDS.length)
    .example([1, 2])
    .description(
      'What its live merchants can take in production: ids of `GET /payments/methods`. In the sandbox they have all',
    );

const FIRST_ADMIN_STATES = ['waiting', 'invited', 'active', 'disabled'] as const;

export const tenantSchema = Joi.object({
  tenantId: id('tenant').required(),
  name: Joi.string().required(),
  status: status()
    .required()
    .description(
      '`proposed`: another operator has to confirm it. `suspended`: its tokens are refused, and no more money moves in its name',
    ),
  country: country(),
  currency: currency().description('ISO 4217, of its books in the first place'),
  methods: methods().required(),
  firstAdmin: Joi.object({
    userId: id('user').required(),
    name: Joi.string().allow(''),
    email: Joi.string(),
    phone: Joi.string(),
    state: Joi.string()
      .valid(...FIRST_ADMIN_STATES)
      .required()
      .description('`waiting`: for the second operator. `invited`: has not chosen a password yet'),
    invitationExpiresAt: instant(),
  }).description('Who is invited first. Lists leave it out'),
  reason: Joi.string().description('Of the last decision about it'),
  proposedBy: Joi.string(),
  confirmedBy: Joi.string(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

/** A tenant as operators see it. */
export function presentTenant({ row, methods, firstAdmin }: Tenant): Record<string, unknown> {
  return {
    tenantId: row.id,
    name: row.name,
    status: row.status,
    ...(row.country && { country: row.country }),
    ...(row.currency && { currency: row.currency }),
    methods,
    ...(firstAdmin && { firstAdmin }),
    ...(row.reason && { reason: row.reason }),
    ...(row.proposed_by && { proposedBy: row.proposed_by }),
    ...(row.confirmed_by && { confirmedBy: row.confirmed_by }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const tenantsQuery = Joi.object<TenantFilter>({ ...paging(), status: status() });

export type TenantBody = Omit<NewTenant, 'tenantId'>;
export const tenantBody = Joi.object<TenantBody>({
  name: nameText(120).trim().min(1).required().example('Harbour Payments').description('Its customers read it too'),
  country: country().required().example('PT'),
  currency: currency().required().description('ISO 4217, of its books in the first place'),
  methods: methods().required(),
  firstAdmin: Joi.object({
    name: nameText(120).trim().min(1).required().example('Ada Lovelace'),
    email: Joi.string().email({ tlds: false }).max(254).required().example('ada@harbour.example'),
    phone: formed(E164, 'must be a telephone number in E.164, such as +351210000000').example('+351210000000'),
  })
    .required()
    .description('Gets the invitation, by e-mail, once another operator has confirmed the tenant'),
  reason: reason().example('Contract 4711, signed on 1 November.'),
});

export interface MethodsBody {
  methods: number[];
  reason: string;
}
export const methodsBody = Joi.object<MethodsBody>({
  methods: methods().required(),
  reason: reason().example('Contract 4711, second annex.'),
});

export interface TenantParams {
  tenantId: string;
}
export const tenantParams = Joi.object<TenantParams>({ tenantId: anyId() });
