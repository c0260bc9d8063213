import { Box, Chip, type Theme, Typography, useMediaQuery } from '@mui/material';
import { type ReactNode, Suspense } from 'react';
import {
  AppBar,
  Loading,
  LoadingIndicator,
  LocalesMenuButton,
  Layout as RaLayout,
  TitlePortal,
  ToggleThemeButton,
  useTranslate,
} from 'react-admin';
import { isSandbox } from '../session/environment';
import { Menu } from './menu';
import { ScopePicker } from './scope-picker';

function Bar() {
  const translate = useTranslate();
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  return (
    <AppBar
      color="default"
      toolbar={
        <>
          {!narrow && <LocalesMenuButton />}
          <ToggleThemeButton />
          <LoadingIndicator />
        </>
      }
    >
      {narrow ? (
        <Typography id="react-admin-title" component="h1" variant="h6" noWrap sx={{ flex: 1 }} />
      ) : (
        <TitlePortal component="h1" />
      )}
      {isSandbox && !narrow && (
        <Chip size="small" color="warning" variant="outlined" label={translate('console.sandbox')} sx={{ mr: 1 }} />
      )}
      <ScopePicker />
    </AppBar>
  );
}

/** Menu, bar and page. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <RaLayout appBar={Bar} menu={Menu} sx={{ '& .RaLayout-content': { px: { xs: 1, sm: 2 }, pb: 4, minWidth: 0 } }}>
      <Suspense fallback={<Loading />}>
        <Box sx={{ maxWidth: 1440, width: '100%', minWidth: 0 }}>{children}</Box>
      </Suspense>
    </RaLayout>
  );
}
