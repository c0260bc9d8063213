import { Box, Button, Typography } from '@mui/material';
import { useGetOne, useTranslate } from 'react-admin';
import { useParams } from 'react-router';
import { Problem } from '../parts/problem';
import { Asks } from './asks';
import { type PaymentLink, qrOf } from './link';

/** A sheet to print: what is asked for, and the code to pay by. */
export default function LinkPoster() {
  const translate = useTranslate();
  const { id = '' } = useParams();
  const { data, error } = useGetOne('links', { id });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const link = data as unknown as PaymentLink;
  return (
    <Box
      component="main"
      sx={{ bgcolor: '#fff', color: '#000', minHeight: '100vh', p: 4, textAlign: 'center', overflowWrap: 'anywhere' }}
    >
      <title>{`${link.title} · Tillway`}</title>
      <Typography variant="h3" component="h1">
        {link.title}
      </Typography>
      <Typography variant="h5" component="p" sx={{ mt: 1 }}>
        <Asks link={link} />
      </Typography>
      <Box
        component="img"
        src={qrOf(link.linkId)}
        alt={translate('links.qrOf', { title: link.title })}
        sx={{ width: 'min(120mm, 90%)', my: 2 }}
      />
      <Typography>{link.url}</Typography>
      <Box sx={{ mt: 3, '@media print': { display: 'none' } }}>
        <Button
          variant="contained"
          onClick={() => window.print()}
          // The sheet is white in the dark too.
          sx={{ bgcolor: '#0b5f58', color: '#fff', '&:hover': { bgcolor: '#084b46' } }}
        >
          {translate('links.print')}
        </Button>
      </Box>
    </Box>
  );
}
