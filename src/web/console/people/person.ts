import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';
import type { Role } from '../session/session';

export type PersonRow = RecordOf<'/identity/1.0.0/users'>;
export type ClientRow = RecordOf<'/identity/1.0.0/clients'>;

export const STATE_TONES: Record<PersonRow['state'], Tone> = { invited: 'waiting', active: 'good', disabled: 'bad' };

/** The roles that somebody may give. The API decides. */
export const GIVEN_BY: Record<Role, readonly Role[]> = {
  merchant: ['merchant'],
  tenant_admin: ['tenant_admin', 'merchant'],
  ops: ['ops', 'tenant_admin', 'merchant'],
};
