import { Box, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Copyable, Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { api } from '../server/api';

/** Test cards, amounts and payers' answers: what to try, and what comes of it. */
export default function SandboxPage() {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['test-cards'],
    (signal) => api.get('/sandbox/test-cards', { signal }),
    () => true,
  );
  return (
    <>
      <Heading title={translate('integration.sandbox.title')} />
      <Problem error={error} />
      <Section title={translate('integration.sandbox.cards')}>
        <Typography variant="body2" sx={{ mb: 1 }}>
          {translate('integration.sandbox.cardsHelp')}
        </Typography>
        {data?.cards.map(({ number, brand, behaviour, description }) => (
          <Row key={number} name={<Copyable text={number} />} mark={brand}>
            {translate(`integration.behaviours.${behaviour}`, { _: description })}
          </Row>
        ))}
      </Section>
      <Section title={translate('integration.sandbox.amounts')}>
        <Typography variant="body2" sx={{ mb: 1 }}>
          {translate('integration.sandbox.amountsHelp')}
        </Typography>
        {data?.amounts.map(({ ending, description }) => (
          <Row key={ending} name={`…${ending}`}>
            {translate(`integration.endings.${ending}`, { _: description })}
          </Row>
        ))}
      </Section>
      <Section title={translate('integration.sandbox.payers')}>
        <Typography variant="body2">{translate('integration.sandbox.payersHelp')}</Typography>
      </Section>
    </>
  );
}

function Row({ name, mark, children }: { name: React.ReactNode; mark?: string; children: React.ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, py: 0.75, borderTop: 1, borderColor: 'divider' }}>
      <Typography variant="body2" component="div" sx={{ flex: '0 0 15rem' }}>
        {name} {mark}
      </Typography>
      <Typography variant="body2" sx={{ flex: '1 1 16rem' }}>
        {children}
      </Typography>
    </Box>
  );
}
