import { createElement, lazy } from 'react';
import type { Area } from '../area';
import { accountWords } from './words';

/** Signing in, and what belongs to the signed-in person. The menu of the person leads there. */
export const account: Area = {
  places: [
    {
      path: 'account',
      roles: ['merchant', 'tenant_admin', 'ops'],
      label: 'account.title',
      page: createElement(lazy(() => import('./account-page'))),
    },
  ],
  words: accountWords,
};
