import RoutingIcon from '@mui/icons-material/AltRouteOutlined';
import { createElement, lazy } from 'react';
import type { Area } from '../area';
import { routingWords } from './words';

const RulesPage = lazy(() => import('./rules-page'));

/** Which processors serve a tenant's payments. */
export const routing: Area = {
  places: [
    {
      path: 'routing',
      roles: ['tenant_admin', 'ops'],
      group: 'tenant',
      icon: RoutingIcon,
      label: 'routing.title',
      needs: 'tenant',
      page: createElement(RulesPage),
    },
  ],
  words: routingWords,
};
