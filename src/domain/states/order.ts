import { canMoveBy, type Moves } from './moves';

/** The states of an order. */
export const ORDER_STATUSES = ['open', 'paid', 'expired', 'cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Every move an order may make. One that expired is paid all the same where its pieces are still there. */
export const ORDER_TRANSITIONS: Moves<OrderStatus> = {
  open: ['paid', 'expired', 'cancelled'],
  expired: ['paid'],
  paid: [],
  cancelled: [],
};

export const canOrderBecome = canMoveBy(ORDER_TRANSITIONS);
