import ItemsIcon from '@mui/icons-material/Inventory2Outlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { Item } from './item';
import { itemWords } from './words';

/** What merchants sell, with its stock. */
export const items: Area = {
  resources: [
    {
      name: 'items',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'selling',
      icon: ItemsIcon,
      list: '/inventory/1.0.0/items',
      one: '/inventory/1.0.0/items/{itemId}',
      idOf: ({ itemId }: Item) => itemId,
      nameOf: ({ name }) => name,
      pages: {
        list: lazy(() => import('./item-list')),
        show: lazy(() => import('./item-page')),
        create: lazy(() => import('./item-create')),
        edit: lazy(() => import('./item-edit')),
      },
    },
  ],
  words: itemWords,
};
