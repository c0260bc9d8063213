import Joi from 'joi';
import { ALIAS_TYPES } from '../../domain/alias';
import type { Member } from '../../money/p2p/membership';
import { id, instant } from '../server/conventions';

export const acceptEach = () =>
  Joi.boolean().description('If true, each transfer to this customer waits until the customer accepts it');

export const memberSchema = Joi.object({
  customerId: id('customer').required(),
  status: Joi.string().valid('active', 'suspended').required(),
  acceptEach: acceptEach().required(),
  aliases: Joi.array()
    .items(
      Joi.object({
        aliasId: id('alias').required(),
        type: Joi.string()
          .valid(...ALIAS_TYPES)
          .required(),
        alias: Joi.string().required(),
        createdAt: instant().required(),
      }),
    )
    .required(),
  enrolledAt: instant().required(),
  suspendedAt: instant(),
  suspendedBy: Joi.string()
    .valid('customer', 'tenant')
    .description('With `tenant`, only the tenant can resume the transfers'),
  suspensionReason: Joi.string(),
});

export function presentMember({ row, aliases }: Member): Record<string, unknown> {
  return {
    customerId: row.customer_id,
    status: row.suspended_at ? 'suspended' : 'active',
    acceptEach: row.accepts_each,
    aliases: aliases.map(({ id, type, value, createdAt }) => ({ aliasId: id, type, alias: value, createdAt })),
    enrolledAt: row.enrolled_at,
    suspendedAt: row.suspended_at ?? undefined,
    suspendedBy: row.suspended_by ?? undefined,
    suspensionReason: row.suspension_reason ?? undefined,
  };
}
