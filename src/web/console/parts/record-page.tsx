import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { type RaRecord, ShowBase, useResourceContext, useShowContext, useTranslate } from 'react-admin';
import { Heading } from './heading';
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
    <ShowBase
      disableAuthentication={false}
      // Always read: what the list knew of the record is shown until then, and lacks what only the record has.
      queryOptions={{ retry: false, staleTime: 0 }}
      render={() => <Content {...props} />}
    />
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
    <Box sx={{ minWidth: 0 }}>
      <Heading
        title={translate(`resources.${name}.name`, { smart_count: 1 })}
        mark={markOf?.(row)}
        acts={actsOf?.(row)}
      >
        {titleOf(row)}
      </Heading>
      {children(row, () => void refetch())}
    </Box>
  );
}
