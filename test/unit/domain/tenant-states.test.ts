import { canTenantBecome, TENANT_STATUSES } from '../../../src/domain/states/tenant';

const ALLOWED = ['proposed active', 'proposed withdrawn', 'active suspended', 'suspended active'];

test.each(TENANT_STATUSES.flatMap((from) => TENANT_STATUSES.map((to) => [from, to] as const)))(
  'a tenant that is %s → %s',
  (from, to) => {
    expect(canTenantBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
