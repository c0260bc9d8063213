import type { ActivationInput, VerificationInput } from '../src/domain/flows';
import { advanceVerification } from '../src/people/kyc/advance';
import { advanceActivation } from '../src/people/onboarding/advance';
import type { Dependencies } from './dependencies';

/** The steps of the flows that are about people and merchants, under the names that recorded histories contain. */
export function peopleActivities(deps: Dependencies) {
  return {
    lookAtVerification: (input: VerificationInput) => advanceVerification(deps, input),
    lookAtActivation: (input: ActivationInput) => advanceActivation(deps, input),
  };
}
