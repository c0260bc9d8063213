import type { CustomerRow, ProfileSeal } from '../customers/customer';

/** The e-mail address in a customer's record; undefined where there is none, or the customer was erased. */
export function emailOf(profiles: ProfileSeal, customer: CustomerRow): string | undefined {
  if (customer.deleted_at) return undefined;
  const { person } = profiles.open(customer) as { person?: { email?: string } };
  return person?.email || undefined;
}
