import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { type RaRecord, ShowBase, Title, useResourceContext, useShowContext, useTranslate } from 'react-admin';
import { Problem } from './problem';

export interface RecordPageProps<Row> {
  /** In the bar and as the heading. */
  titleOf(record: Row): ReactNode;
  /** Beside the heading: the status, for example. */
  markOf?(record: Row): ReactNode;
  /** What may be done with it. */
  actsOf?(record: Row): ReactNode;
  children(record: Row, refresh: () => void): ReactNode;
}

/** The page of one record: heading, status, acts, sections. It stays up to date when an act calls `refresh`. */
export function RecordPage<Row extends object>(props: RecordPageProps<Row>) {
  return (
    <ShowBase disableAuthentication={false} queryOptions={{ retry: false }} render={() => <Content {...props} />} />
  );
}

function Content<Row extends object>({ titleOf, markOf, actsOf, children }: RecordPageProps<Row>) {
  const { record, error, refetch } = useShowContext<RaRecord>();
  const translate = useTranslate();
  const name = useResourceContext()!;
  if (error) return <Problem error={error} />;
  if (!record) return null;
  const row = record as unknown as Row;
  return (
    <Box sx={{ mt: 2, minWidth: 0 }}>
      <Title title={translate(`resources.${name}.name`, { smart_count: 1 })} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 2 }}>
        <Typography variant="h5" component="h1" sx={{ overflowWrap: 'anywhere' }}>
          {titleOf(row)}
        </Typography>
        {markOf?.(row)}
        <Box sx={{ flex: 1 }} />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{actsOf?.(row)}</Box>
      </Box>
      {children(row, () => void refetch())}
    </Box>
  );
}
