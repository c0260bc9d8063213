import { Box, Link as MuiLink, Typography } from '@mui/material';
import { SelectInput, useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { WorkflowLink } from '../parts/workflow-link';
import { OperatorAct } from './operator-act';
import { pageOf, type Work } from './work';

export const KINDS = [
  'payment',
  'topup',
  'refund',
  'receipt',
  'dispute',
  'intervention',
  'tenant',
  'unmatched_transfer',
  'difference',
  'payout',
  'bank_return',
  'order',
  'callback',
  'notification',
  'message',
  'security',
  'lost_flow',
] as const satisfies readonly Work['kind'][];

const COLUMNS: Column<Work>[] = [
  { label: 'operations.work.what', of: (work) => <What work={work} /> },
  {
    label: 'operations.work.amount',
    of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
    end: true,
  },
  { label: 'operations.work.since', of: ({ since }) => <Instant at={since} /> },
  { label: 'operations.work.why', of: (work) => <Why work={work} /> },
  { label: 'operations.work.acts', of: (work) => <Acts work={work} /> },
];

/** What needs a person, with why, what to do, and the acts. */
export default function WorklistPage() {
  return (
    <ListPage<Work>
      columns={COLUMNS}
      to={false}
      filters={[
        <SelectInput
          key="kind"
          source="kind"
          label="operations.work.kind"
          choices={KINDS.map((id) => ({ id, name: `operations.kinds.${id}` }))}
          alwaysOn
        />,
      ]}
    />
  );
}

function What({ work }: { work: Work }) {
  const translate = useTranslate();
  const page = pageOf(work);
  return (
    <Box sx={{ minWidth: 0 }}>
      <div>{translate(`operations.kinds.${work.kind}`)}</div>
      <Typography variant="body2" component="div" sx={{ overflowWrap: 'anywhere' }}>
        {page ? (
          <MuiLink component={Link} to={page}>
            {work.objectId}
          </MuiLink>
        ) : (
          work.objectId
        )}
      </Typography>
    </Box>
  );
}

function Why({ work: { why, whatToDo, workflowId } }: { work: Work }) {
  return (
    <Box sx={{ maxWidth: { md: 460 }, textAlign: 'left' }}>
      {/* The API says it in English. */}
      <Typography variant="body2" lang="en">
        {why}
      </Typography>
      <Typography variant="body2" lang="en" sx={{ fontWeight: 600, my: 0.5 }}>
        {whatToDo}
      </Typography>
      <WorkflowLink workflowId={workflowId} />
    </Box>
  );
}

function Acts({ work }: { work: Work }) {
  const refresh = useRefresh();
  const { objectId, amount, currency, acts } = work;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {acts.map((offered) => (
        <OperatorAct
          key={offered.act}
          offered={offered}
          about={objectId}
          amount={amount}
          currency={currency}
          onDone={refresh}
        />
      ))}
    </Box>
  );
}
