import type { CustomerRow, ProfileSeal } from '../people/customers/customer';

/** Of an account and of a party, in the standard. */
const NAME_LENGTH = 350;

/** The name of the owner of an account, as far as the standard has room. Undefined for a customer who was erased. */
export function holderName(profiles: Pick<ProfileSeal, 'open'>, customer: CustomerRow): string | undefined {
  if (customer.deleted_at) return undefined;
  const { customerName = '' } = profiles.open(customer) as { customerName?: string };
  return [...customerName].slice(0, NAME_LENGTH).join('') || undefined;
}
