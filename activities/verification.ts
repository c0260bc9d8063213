import type { VerificationInput, VerificationView } from '../src/domain/flows';
import type { CustomerRow } from '../src/people/customers/customer';
import { lookSubject } from '../src/people/customers/verification-look';
import { lookAt, type Standing } from '../src/people/kyc/verification';
import { nameOf } from '../src/people/kyc/verification-policy';
import type { Dependencies } from './dependencies';

/** The one step of a verification: look at what Postgres says, do what is due, tell what is waited for. */
export function verificationActivities({ database, verification, firstAnswers }: Dependencies) {
  async function lookAtVerification({ customerId, tenantId }: VerificationInput): Promise<VerificationView> {
    return database.tenant(tenantId, async (trx) => {
      const customer: CustomerRow | undefined = await trx('customers').where({ id: customerId }).forUpdate().first();
      if (!customer || customer.deleted_at) {
        await trx('customer_verifications').where({ customer_id: customerId }).update({ look_at: null });
        return { status: 'erased', detail: 'The customer was erased.', waitsFor: 'nobody', ended: true };
      }
      const standing = await lookAt(trx, verification, customer);
      await firstAnswers.announce(trx, lookSubject(customerId));
      return viewOf(standing);
    });
  }

  return { lookAtVerification };
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
