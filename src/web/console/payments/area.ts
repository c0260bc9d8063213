import PaymentsIcon from '@mui/icons-material/CreditCard';
import { lazy } from 'react';
import type { Area } from '../area';
import { PaymentOverview } from './overview';
import { paymentWords } from './words';

/** Payments of merchants. */
export const payments: Area = {
  resources: [
    {
      name: 'payments',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'money',
      icon: PaymentsIcon,
      list: '/ipg/1.0.0/payment/payments',
      one: '/ipg/1.0.0/payment/payments/{paymentId}/status-by-payment-id',
      enveloped: true,
      idOf: ({ paymentId }: { paymentId: string }) => paymentId,
      needs: 'organization',
      pages: {
        list: lazy(() => import('./payment-list')),
        show: lazy(() => import('./payment-page')),
      },
    },
  ],
  home: { merchant: PaymentOverview },
  words: paymentWords,
};
