import KeyIcon from '@mui/icons-material/KeyOutlined';
import ScienceIcon from '@mui/icons-material/ScienceOutlined';
import { createElement, lazy } from 'react';
import type { Area } from '../area';
import { integrationWords } from './words';

const Parameters = lazy(() => import('./parameters-page'));
const Sandbox = lazy(() => import('./sandbox-page'));

/** What a merchant's program needs: its parameters, and what to try in the sandbox. */
export const integration: Area = {
  places: [
    {
      path: 'parameters',
      roles: ['merchant'],
      group: 'developers',
      icon: KeyIcon,
      label: 'integration.parameters.title',
      page: createElement(Parameters),
    },
    {
      path: 'sandbox',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'developers',
      icon: ScienceIcon,
      label: 'integration.sandbox.title',
      page: createElement(Sandbox),
    },
  ],
  words: integrationWords,
};
