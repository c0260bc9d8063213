import { Box, Chip, type Theme, Typography, useMediaQuery } from '@mui/material';
import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import {
  AppBar,
  Loading,
  LocalesMenuButton,
  Layout as RaLayout,
  RefreshIconButton,
  ToggleThemeButton,
  useTranslate,
} from 'react-admin';
import { Link } from 'react-router';
import { isSandbox } from '../session/environment';
import { Menu } from './menu';
import { ScopePicker } from './scope-picker';
import { UserMenu } from './user-menu';

function Bar() {
  const translate = useTranslate();
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  return (
    <AppBar
      color="default"
      userMenu={<UserMenu />}
      toolbar={
        <>
          {!narrow && <LocalesMenuButton />}
          <ToggleThemeButton />
          {!narrow && <RefreshIconButton />}
        </>
      }
    >
      <Typography
        component={Link}
        to="/"
        sx={{ flex: 1, fontWeight: 700, color: 'inherit', textDecoration: 'none', minWidth: 0 }}
      >
        Tillway
      </Typography>
      {isSandbox && !narrow && (
        <Chip size="small" color="warning" variant="outlined" label={translate('console.sandbox')} sx={{ mr: 1 }} />
      )}
      {!narrow && <ScopePicker />}
    </AppBar>
  );
}

/** Menu, bar and page. On a phone the choice of tenant and organization stands above the page. */
export function Layout({ children }: { children: ReactNode }) {
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  const isBusy = useIsFetching() > 0;
  return (
    <RaLayout
      appBar={Bar}
      menu={Menu}
      sx={{ minWidth: 0, '& .RaLayout-content': { px: { xs: 1, sm: 2 }, pb: 4, minWidth: 0 } }}
    >
      <Suspense fallback={<Loading />}>
        <Box aria-busy={isBusy} sx={{ maxWidth: 1440, width: '100%', minWidth: 0 }}>
          {narrow && <ScopePicker />}
          {children}
        </Box>
      </Suspense>
    </RaLayout>
  );
}
