import { Box } from '@mui/material';
import { TextInput } from 'react-admin';
import { Instant } from '../parts/instant';
import { InstantFilter } from '../parts/instant-filter';
import { type Column, ListPage } from '../parts/list-page';
import type { RecordOf } from '../server/api';

type Line = RecordOf<'/identity/1.0.0/audit'>;

const COLUMNS: Column<Line>[] = [
  { label: 'audit.at', of: ({ at }) => <Instant at={at} /> },
  { label: 'audit.actor', of: ({ actor, actorName }) => <Named id={actor} name={actorName} /> },
  { label: 'audit.action', of: ({ action }) => action },
  { label: 'audit.target', of: ({ target, targetName }) => <Named id={target} name={targetName} /> },
  { label: 'audit.result', of: ({ result }) => result },
  { label: 'audit.source', of: ({ source }) => source },
  { label: 'audit.detail', of: ({ detail }) => <Detail of={detail} />, wide: true },
];

export default function AuditLogList() {
  return (
    <ListPage<Line>
      columns={COLUMNS}
      to={false}
      filters={[
        <TextInput key="actor" source="actor" label="audit.actorId" resettable alwaysOn />,
        <TextInput key="action" source="action" label="audit.action" resettable alwaysOn />,
        <TextInput key="target" source="target" label="audit.targetId" resettable alwaysOn />,
        <InstantFilter key="from" source="from" label="audit.from" />,
        <InstantFilter key="to" source="to" label="audit.to" />,
      ]}
    />
  );
}

/** The id is what filters ask for; the name is for the reader. */
function Named({ id, name }: { id: string | undefined; name: string | undefined }) {
  return (
    <Box component="span" sx={{ display: 'inline-block', minWidth: 130, overflowWrap: 'anywhere' }}>
      {name && (
        <>
          {name}
          <br />
        </>
      )}
      <small>{id}</small>
    </Box>
  );
}

/** The members that the action has, as they are. */
function Detail({ of }: { of: Record<string, unknown> }) {
  return (
    <Box component="span" sx={{ display: 'inline-block', minWidth: 160, overflowWrap: 'anywhere' }}>
      {Object.entries(of).map(([name, value]) => (
        <Box key={name} component="small" sx={{ display: 'block' }}>
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Box>
      ))}
    </Box>
  );
}
