import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

/** `ownId`: the tenant's own id of it. */
export type Customer = Omit<Answer<'/customer/1.0.0/fetch/{customerId}'>, 'id'> & { ownId?: string };
export type CustomerStatus = NonNullable<Customer['customerStatus']>;
export type CustomerDocument = RecordOf<'/customer/1.0.0/{customerId}/documents'>;

/** A new status of the API does not compile before it has a tone. */
export const CUSTOMER_TONES: Record<CustomerStatus, Tone> = {
  new: 'plain',
  under_verificaiton: 'waiting',
  verified: 'good',
  under_investigation: 'waiting',
  dispute: 'waiting',
  on_hold: 'bad',
  blacklisted: 'bad',
  bancrupted: 'bad',
};
export const CUSTOMER_STATUSES = Object.keys(CUSTOMER_TONES) as CustomerStatus[];

export const DOCUMENT_TONES: Record<CustomerDocument['status'], Tone> = {
  underverification: 'waiting',
  verified: 'good',
  rejected: 'bad',
  expired: 'bad',
};
