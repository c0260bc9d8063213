import type { ConsentInput } from '../src/domain/consent-flow';
import { lookAtConsent } from '../src/open-banking/consents/steps';
import type { Dependencies } from './dependencies';

/** The steps of the flows of src/open-banking, under the names that stand in recorded histories. */
export function openBankingActivities(deps: Dependencies) {
  return {
    lookAtConsent: (input: ConsentInput) => lookAtConsent(deps, input),
  };
}
