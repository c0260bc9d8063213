import { createTheme, type ThemeOptions } from '@mui/material/styles';
import type { RaThemeOptions } from 'react-admin';

/** One look in two lights. Every pair of text and ground has a contrast of 4.5 or more (WCAG 2.2, 1.4.3). */

const TEXT = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif';

/** Who wants no motion sees none (WCAG 2.2, 2.3.3). */
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
const STILL: ThemeOptions['components'] = {
  ...Object.fromEntries(
    ['MuiDialog', 'MuiMenu', 'MuiPopover', 'MuiDrawer', 'MuiSnackbar'].map((name) => [
      name,
      { defaultProps: { transitionDuration: 0 } },
    ]),
  ),
  MuiCollapse: { defaultProps: { timeout: 0 } },
};

const common: ThemeOptions = {
  ...(isStill && { transitions: { create: () => 'none' } }),

  shape: { borderRadius: 8 },
  typography: {
    fontFamily: TEXT,
    h5: { fontSize: '1.35rem', fontWeight: 650 },
    h6: { fontSize: '1.05rem', fontWeight: 650 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
};

function themed(mode: 'light' | 'dark', palette: ThemeOptions['palette']): RaThemeOptions {
  const { palette: p } = createTheme({ ...common, palette: { mode, ...palette } });
  return {
    ...common,
    palette: { mode, ...palette },
    sidebar: { width: 232, closedWidth: 52 },
    components: {
      ...(isStill && STILL),
      MuiCssBaseline: {
        styleOverrides: {
          body: { fontVariantNumeric: 'tabular-nums' },
          ':focus-visible': { outline: `2px solid ${p.primary.main}`, outlineOffset: 2 },
        },
      },
      MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
      MuiCard: { styleOverrides: { root: { border: `1px solid ${p.divider}` } } },
      MuiAppBar: { styleOverrides: { root: { borderBottom: `1px solid ${p.divider}`, boxShadow: 'none' } } },
      MuiTextField: { defaultProps: { variant: 'outlined', size: 'small' } },
      MuiFormControl: { defaultProps: { variant: 'outlined', size: 'small' } },
      MuiButton: { defaultProps: { disableElevation: true } },
      MuiTableCell: { styleOverrides: { head: { fontWeight: 650, whiteSpace: 'nowrap' } } },
      MuiTooltip: { defaultProps: { describeChild: true } },
      // Colour alone does not say that a word is a link (WCAG 2.2, 1.4.1).
      MuiLink: {
        defaultProps: { underline: 'always' },
        // As high as a finger needs it (WCAG 2.2, 2.5.8), also where lines of a list stand close.
        styleOverrides: { root: { display: 'inline-block', minHeight: 24 } },
      },
      RaMenuItemLink: {
        styleOverrides: {
          root: {
            borderRadius: 6,
            margin: '0 8px',
            '&.RaMenuItemLink-active': { backgroundColor: p.action.selected, color: p.primary.main, fontWeight: 650 },
          },
        },
      },
    },
  } as RaThemeOptions;
}

export const lightTheme = themed('light', {
  primary: { main: '#0b5f58', contrastText: '#ffffff' },
  secondary: { main: '#0b5f58', contrastText: '#ffffff' },
  background: { default: '#f6f7f7', paper: '#ffffff' },
  text: { primary: '#14201f', secondary: '#4c5b59' },
  success: { main: '#1b6e3c' },
  warning: { main: '#8a5300' },
  error: { main: '#b3261e' },
  info: { main: '#1f5fa8' },
});

export const darkTheme = themed('dark', {
  primary: { main: '#6fd0c5', contrastText: '#06201d' },
  secondary: { main: '#6fd0c5', contrastText: '#06201d' },
  background: { default: '#101615', paper: '#18211f' },
  text: { primary: '#e6eeec', secondary: '#a9b8b5' },
  success: { main: '#7fd39b', contrastText: '#06200f' },
  warning: { main: '#f2bd6b', contrastText: '#2a1a00' },
  error: { main: '#ffb4ab', contrastText: '#3d0502' },
  info: { main: '#9cc7ff', contrastText: '#00213f' },
});
