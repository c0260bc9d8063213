import ThemeIcon from '@mui/icons-material/PaletteOutlined';
import RulesIcon from '@mui/icons-material/TuneOutlined';
import { createElement, lazy } from 'react';
import type { Area } from '../area';
import { themeWords } from './words';

const ThemePage = lazy(() => import('./theme-page'));
const LinkRulesPage = lazy(() => import('./link-rules-page'));

/** How the page of the tenant's buyers looks, and how payment links are approved. */
export const pageTheme: Area = {
  places: [
    {
      path: 'page-theme',
      roles: ['tenant_admin'],
      group: 'tenant',
      icon: ThemeIcon,
      label: 'pageTheme.title',
      page: createElement(ThemePage),
    },
    {
      path: 'link-rules',
      roles: ['tenant_admin'],
      group: 'tenant',
      icon: RulesIcon,
      label: 'linkRules.title',
      page: createElement(LinkRulesPage),
    },
  ],
  words: themeWords,
};
