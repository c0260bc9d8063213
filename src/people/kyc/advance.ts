import type { VerificationInput, VerificationView } from '../../domain/flows';
import type { Database } from '../../foundation/db/database';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import type { CustomerRow } from '../customers/customer';
import { kycSubject } from '../customers/kyc-wake';
import { nameOf } from './policy';
import { advance, type KycDependencies, type Standing } from './steps';

/** Does what is due of a customer's verification and tells what is waited for. Safe to repeat at any time. */
export function advanceVerification(
  {
    database,
    verification,
    firstAnswers,
  }: { database: Database; verification: KycDependencies; firstAnswers: FirstAnswers },
  { customerId, tenantId }: VerificationInput,
): Promise<VerificationView> {
  return database.tenant(tenantId, async (trx) => {
    const customer: CustomerRow | undefined = await trx('customers').where({ id: customerId }).forUpdate().first();
    if (!customer || customer.deleted_at) {
      await trx('customer_verifications').where({ customer_id: customerId }).update({ look_at: null });
      return { status: 'erased', detail: 'The customer was erased.', waitsFor: 'nobody', ended: true };
    }
    const standing = await advance(trx, verification, customer);
    await firstAnswers.announce(trx, kycSubject(customerId));
    return viewOf(standing);
  });
}

function viewOf(standing: Standing): VerificationView {
  const { status, since, missing, toReview, nextAt, ended } = standing;
  const isOpen = !ended && missing.length > 0 && (status === 'under_verificaiton' || status === 'under_investigation');
  const byHand = status === 'under_verificaiton' && missing.length === 0;
  return {
    status,
    sinceMs: since.getTime(),
    detail: missing.length > 0 ? `Still to be verified: ${missing.map(nameOf).join('; ')}.` : 'Nothing is missing.',
    waitsFor: byHand || (isOpen && toReview > 0) ? 'tenant_admin' : isOpen ? 'customer' : 'nobody',
    ...(nextAt && { nextInMs: Math.max(1, nextAt.getTime() - Date.now()) }),
    ended,
  };
}
