import PreviousIcon from '@mui/icons-material/ChevronLeft';
import NextIcon from '@mui/icons-material/ChevronRight';
import FirstIcon from '@mui/icons-material/FirstPage';
import { Box, IconButton, Typography } from '@mui/material';
import { useListContext, useTranslate } from 'react-admin';

/** The way through a list of which nobody has counted the rows: back, on, and to the newest. */
export function Pages() {
  const { page, setPage, hasNextPage, hasPreviousPage, isPending } = useListContext();
  const translate = useTranslate();
  if (isPending || (!hasNextPage && !hasPreviousPage)) return null;
  const step = (label: string, to: number, Icon: typeof NextIcon, isOpen: boolean) => (
    <IconButton aria-label={translate(label)} disabled={!isOpen} onClick={() => setPage(to)}>
      <Icon />
    </IconButton>
  );
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'flex-end', gap: 0.5, py: 1 }}>
      <Typography variant="body2" aria-live="polite">
        {translate('ra.navigation.current_page', { page })}
      </Typography>
      {step('ra.navigation.first', 1, FirstIcon, page > 1)}
      {step('ra.navigation.previous', page - 1, PreviousIcon, hasPreviousPage ?? false)}
      {step('ra.navigation.next', page + 1, NextIcon, hasNextPage ?? false)}
    </Box>
  );
}
