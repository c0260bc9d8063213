import HomeIcon from '@mui/icons-material/SpaceDashboardOutlined';
import {
  Box,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  ListSubheader,
  type Theme,
  useMediaQuery,
} from '@mui/material';
import type { ComponentType } from 'react';
import { usePermissions, useSidebarState, useTranslate } from 'react-admin';
import { NavLink } from 'react-router';
import { MENU_GROUPS } from '../area';
import { shownAreas } from '../registry';
import type { Person } from '../session/session';

/** The places that the signed-in person's role has, under their headings. */
export function Menu() {
  const { permissions: person } = usePermissions<Person>();
  const translate = useTranslate();
  const [isOpen] = useSidebarState();
  if (!person) return null;
  const entries = shownAreas()
    .flatMap((area) => [
      ...(area.resources ?? []).map(({ name, ...rest }) => ({
        ...rest,
        to: `/${name}`,
        label: `resources.${name}.menu`,
      })),
      ...(area.places ?? []).map(({ path, ...rest }) => ({ ...rest, to: `/${path}` })),
    ])
    .filter(({ roles, group }) => group !== undefined && roles.includes(person.role));
  return (
    <Box component="nav" aria-label={translate('ra.action.open_menu')} sx={{ width: isOpen ? 232 : 52, pb: 4 }}>
      <List dense disablePadding sx={{ pt: 1 }}>
        <Entry to="/" label={translate('console.menu.home')} icon={HomeIcon} end />
      </List>
      {MENU_GROUPS.map((group) => {
        const own = entries.filter((entry) => entry.group === group);
        if (own.length === 0) return null;
        const heading = `menu-${group}`;
        return (
          <Box key={group}>
            {isOpen && (
              <ListSubheader id={heading} component="div" disableSticky sx={{ background: 'none', lineHeight: 2.6 }}>
                {translate(`console.menu.${group}`)}
              </ListSubheader>
            )}
            <List dense disablePadding aria-labelledby={isOpen ? heading : undefined}>
              {own.map(({ to, label, icon }) => (
                <Entry key={to} to={to} label={translate(label)} icon={icon} />
              ))}
            </List>
          </Box>
        );
      })}
    </Box>
  );
}

function Entry({ to, label, icon: Icon, end }: { to: string; label: string; icon?: ComponentType; end?: boolean }) {
  const [isOpen, setOpen] = useSidebarState();
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'));
  return (
    <ListItem disablePadding sx={{ px: 1 }}>
      <ListItemButton
        component={NavLink}
        to={to}
        end={end}
        aria-label={isOpen ? undefined : label}
        // On a phone the menu covers the page.
        onClick={() => narrow && setOpen(false)}
        sx={{
          borderRadius: 1.5,
          minHeight: 36,
          px: 1.25,
          '&.active': {
            bgcolor: 'action.selected',
            color: 'primary.main',
            '& .MuiListItemIcon-root': { color: 'inherit' },
          },
        }}
      >
        <ListItemIcon sx={{ minWidth: 36 }}>{Icon && <Icon />}</ListItemIcon>
        {isOpen && <ListItemText primary={label} />}
      </ListItemButton>
    </ListItem>
  );
}
