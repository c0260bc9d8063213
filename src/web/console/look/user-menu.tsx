import AccountIcon from '@mui/icons-material/ManageAccountsOutlined';
import TranslateIcon from '@mui/icons-material/Translate';
import { ListItemIcon, ListItemText, MenuItem, type Theme, useMediaQuery } from '@mui/material';
import {
  Logout,
  UserMenu as RaUserMenu,
  useGetIdentity,
  useLocaleState,
  useLocales,
  useTranslate,
  useUserMenu,
} from 'react-admin';
import { Link } from 'react-router';

/** Who is signed in: the account, the language where the bar has no room for it, and the way out. */
export function UserMenu() {
  const { identity } = useGetIdentity();
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  return (
    <RaUserMenu label={identity?.fullName ?? 'ra.auth.user_menu'}>
      <AccountItem />
      {narrow && <LanguageItems />}
      <Logout />
    </RaUserMenu>
  );
}

function AccountItem() {
  const translate = useTranslate();
  const { onClose } = useUserMenu() ?? {};
  return (
    <MenuItem component={Link} to="/account" onClick={onClose}>
      <ListItemIcon>
        <AccountIcon fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate('console.menu.account')}</ListItemText>
    </MenuItem>
  );
}

function LanguageItems() {
  const languages = useLocales();
  const [current, choose] = useLocaleState();
  const { onClose } = useUserMenu() ?? {};
  return languages
    .filter(({ locale }) => locale !== current)
    .map(({ locale, name }) => (
      <MenuItem
        key={locale}
        lang={locale}
        onClick={() => {
          choose(locale);
          onClose?.();
        }}
      >
        <ListItemIcon>
          <TranslateIcon fontSize="small" />
        </ListItemIcon>
        <ListItemText>{name}</ListItemText>
      </MenuItem>
    ));
}
