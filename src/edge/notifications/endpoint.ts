/** How many servers of its own an organization can have told. */
export const MOST_ENDPOINTS = 16;

/** One row of `notification_endpoints`: a server that an organization wants told of what happens. */
export interface EndpointRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  /** Among the organization's sixteen; the ids of its notifications end with it. Null: it was removed. */
  place: number | null;
  url: string;
  /** Scheme, host and port of the url. */
  origin: string;
  description: string | null;
  /** Types, or a subject and an asterisk (`payout.*`). Null: everything. */
  events: string[] | null;
  secret_sealed: Buffer;
  /** `removed`: kept for the notifications that were for it. */
  status: 'enabled' | 'disabled' | 'removed';
  created_by: string;
  created_at: Date;
  updated_at: Date;
}
