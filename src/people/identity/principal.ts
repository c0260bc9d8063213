/** What a client with an id and a secret may be. */
export const CLIENT_ROLES = ['merchant', 'tenant_admin', 'ops'] as const;

/** What a caller may be. Customers sign in as persons do. `tpp`: a third-party provider, whose entrance is AUTH_PORT. */
export const ROLES = [...CLIENT_ROLES, 'customer', 'tpp'] as const;
export type Role = (typeof ROLES)[number];

/** Who calls: what the access token stands for. Headers only narrow it. */
export interface Principal {
  readonly clientId: string;
  readonly role: Role;
  /** Absent for ops, who belong to no tenant. */
  readonly tenantId?: string;
  /** The one organization of a merchant. */
  readonly organizationId?: string;
  /** Set for a person who signed in, as opposed to a program; `clientId` is the same. */
  readonly userId?: string;
  /** Set with it: the session that the token is. */
  readonly sessionId?: string;
  /** Set for a user whose role needs a second factor that the session has not shown. */
  readonly mustEnrol?: true;
  /** The one customer of a customer's token; `clientId` is the same. */
  readonly customerId?: string;
  /** The one merchant account of a client that signed in with a terminal id and terminal password. */
  readonly terminalId?: string;
}
