import HomeIcon from '@mui/icons-material/SpaceDashboardOutlined';
import { Box, Typography } from '@mui/material';
import { Menu as RaMenu, usePermissions, useSidebarState, useTranslate } from 'react-admin';
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
    <RaMenu>
      <RaMenu.Item to="/" primaryText={translate('console.menu.home')} leftIcon={<HomeIcon />} />
      {MENU_GROUPS.map((group) => {
        const own = entries.filter((entry) => entry.group === group);
        if (own.length === 0) return null;
        return (
          <Box key={group} component="li" sx={{ listStyle: 'none', mt: 1 }}>
            {isOpen && (
              <Typography variant="caption" color="text.secondary" sx={{ px: 3, py: 0.5, display: 'block' }}>
                {translate(`console.menu.${group}`)}
              </Typography>
            )}
            <Box component="ul" sx={{ p: 0, m: 0 }} aria-label={translate(`console.menu.${group}`)}>
              {own.map(({ to, label, icon: Icon }) => (
                <RaMenu.Item key={to} to={to} primaryText={translate(label)} leftIcon={Icon ? <Icon /> : undefined} />
              ))}
            </Box>
          </Box>
        );
      })}
    </RaMenu>
  );
}
