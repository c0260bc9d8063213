import type { Organizations } from '../../identity/organizations';
import type { Onboarding } from '../../onboarding/onboarding';
import { userRoutes } from '../identity/user-routes';
import type { Route } from '../route';
import { merchantRoutes } from './merchant-routes';
import { parameterRoutes } from './parameter-routes';

export interface OnboardingDependencies {
  onboarding: Onboarding;
  organizations: Organizations;
  rotationOverlap: { defaultMs: number; maxMs: number };
}

/** Merchants come on board: users and their passwords, integration parameters, going live. */
export function onboardingRoutes({
  onboarding = NONE,
  organizations,
  rotationOverlap,
}: OnboardingDependencies): Route[] {
  const { merchants, parameters } = onboarding;
  return [
    ...userRoutes(onboarding),
    ...merchantRoutes({ merchants, organizations }),
    ...parameterRoutes({ parameters, overlap: rotationOverlap }),
  ];
}

/** The OpenAPI document is made without any of it. */
const NONE = {} as Onboarding;
