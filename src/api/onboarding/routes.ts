import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Tpps } from '../../open-banking/tpps/service';
import type { Organizations } from '../../people/identity/organizations';
import type { ActivationFiles } from '../../people/onboarding/activation-files';
import type { ActivationService } from '../../people/onboarding/activation-service';
import type { Onboarding } from '../../people/onboarding/onboarding';
import type { Route } from '../server/route';
import { activationFileRoutes } from './activation-file-routes';
import { activationRoutes } from './activation-routes';
import { merchantRoutes } from './merchant-routes';
import { parameterRoutes } from './parameter-routes';
import { tppRoutes } from './tpp-routes';

export interface OnboardingDependencies {
  onboarding: Onboarding;
  organizations: Organizations;
  activations: ActivationService;
  activationFiles: ActivationFiles;
  documentFileLimitBytes: number;
  outbound: OutboundGuard;
  rotationOverlap: { defaultMs: number; maxMs: number };
  tpps: Tpps;
}

/** How merchants come on board: their users, integration parameters and applications to go live. And third-party providers. */
export function onboardingRoutes(deps: OnboardingDependencies): Route[] {
  const { onboarding = NONE, organizations, activations, outbound, rotationOverlap } = deps;
  const { merchants, parameters } = onboarding;
  return [
    ...merchantRoutes({ merchants, organizations }),
    ...parameterRoutes({ parameters, overlap: rotationOverlap }),
    ...activationRoutes({ activations, organizations, outbound }),
    ...activationFileRoutes(deps),
    ...tppRoutes(deps),
  ];
}

/** The OpenAPI document is made without dependencies. */
const NONE = {} as Onboarding;
