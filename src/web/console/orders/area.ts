import OrdersIcon from '@mui/icons-material/ReceiptLongOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { Order } from './order';
import { orderWords } from './words';

/** What buyers order. */
export const orders: Area = {
  resources: [
    {
      name: 'orders',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'selling',
      icon: OrdersIcon,
      list: '/orders/1.0.0/orders',
      one: '/orders/1.0.0/orders/{orderId}',
      idOf: ({ orderId }: Order) => orderId,
      pages: {
        list: lazy(() => import('./order-list')),
        show: lazy(() => import('./order-page')),
        create: lazy(() => import('./order-create')),
      },
    },
  ],
  words: orderWords,
};
