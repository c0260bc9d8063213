import Joi from 'joi';
import { BENEFICIARY_TYPES, type Beneficiary } from '../../money/beneficiaries/beneficiary';
import { id, instant, nameText } from '../server/conventions';

export const name = () => nameText(100).trim().min(1).required().example('Grace');

export const beneficiarySchema = Joi.object({
  beneficiaryId: id('beneficiary').required(),
  customerId: id('customer').required().description('The customer who saved the beneficiary'),
  name: name(),
  type: Joi.string()
    .valid(...BENEFICIARY_TYPES)
    .required(),
  recipient: Joi.string().required().description('The alias, the customerId or the IBAN'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

/** A beneficiary as its customer sees it. */
export function presentBeneficiary({ row, recipient }: Beneficiary): Record<string, unknown> {
  return {
    beneficiaryId: row.id,
    customerId: row.customer_id,
    name: recipient.name,
    type: recipient.type,
    recipient: recipient.value,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
