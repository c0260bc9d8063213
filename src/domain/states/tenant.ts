import { canMoveBy, type Moves } from './moves';

/** The states of a tenant. `proposed`: a second operator has yet to confirm it, and nobody can sign in. */
export const TENANT_STATUSES = ['proposed', 'active', 'suspended', 'withdrawn'] as const;

export type TenantStatus = (typeof TENANT_STATUSES)[number];

/** Every move a tenant may make. What is suspended can be resumed; what was withdrawn never was a tenant. */
export const TENANT_TRANSITIONS: Moves<TenantStatus> = {
  proposed: ['active', 'withdrawn'],
  active: ['suspended'],
  suspended: ['active'],
  withdrawn: [],
};

export const canTenantBecome = canMoveBy(TENANT_TRANSITIONS);
