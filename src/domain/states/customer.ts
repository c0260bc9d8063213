import { canMoveBy, type Moves } from './moves';

/** The states of a customer, spelled as the service description spells them. */
export const CUSTOMER_STATUSES = [
  'new',
  'verified',
  'under_verificaiton',
  'blacklisted',
  'under_investigation',
  'dispute',
  'on_hold',
  'bancrupted',
] as const;

export type CustomerStatus = (typeof CUSTOMER_STATUSES)[number];

/** Every move a customer may make (contract, section 6). Any customer may be blacklisted or go bankrupt. */
export const CUSTOMER_TRANSITIONS: Moves<CustomerStatus> = {
  new: ['under_verificaiton', 'blacklisted', 'bancrupted'],
  under_verificaiton: ['verified', 'blacklisted', 'bancrupted'],
  verified: ['under_investigation', 'dispute', 'on_hold', 'blacklisted', 'bancrupted'],
  under_investigation: ['verified', 'blacklisted', 'bancrupted'],
  dispute: ['verified', 'blacklisted', 'bancrupted'],
  on_hold: ['verified', 'blacklisted', 'bancrupted'],
  blacklisted: ['under_investigation', 'bancrupted'],
  bancrupted: ['blacklisted'],
};

export const canCustomerBecome = canMoveBy(CUSTOMER_TRANSITIONS);

/** A customer in one of these states cannot pay, top up or send money. */
export function isBlocked(status: CustomerStatus): boolean {
  return status === 'blacklisted' || status === 'bancrupted' || status === 'on_hold';
}
