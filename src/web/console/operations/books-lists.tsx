import { Link as MuiLink } from '@mui/material';
import { SelectInput, TextInput, useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { PrintButton } from '../parts/print-button';
import { Status, type Tone } from '../parts/status';
import { OperatorAct } from './operator-act';
import type { Account, Difference, Run, Transfer, Trial, WorkAct } from './work';
import { Wrapped } from './wrapped';

const ACCOUNTS: Column<Account>[] = [
  { label: 'operations.ledger.kind', of: ({ kind }) => kind.replaceAll('_', ' ') },
  { label: 'operations.ledger.owner', of: ({ owner }) => <Wrapped>{owner}</Wrapped> },
  { label: 'operations.ledger.currency', of: ({ currency }) => currency },
  {
    label: 'operations.ledger.balance',
    of: ({ balance, currency }) => <Amount amount={balance} currency={currency} />,
    end: true,
  },
  { label: 'operations.ledger.account', of: ({ accountId }) => accountId, wide: true },
];

/** Accounts with their balances; a press opens what was booked on one. */
export function AccountList() {
  return (
    <ListPage<Account>
      columns={ACCOUNTS}
      to={({ accountId }) => `/ledger-transfers?filter=${encodeURIComponent(JSON.stringify({ accountId }))}`}
      filters={[
        <TextInput key="kind" source="kind" label="operations.ledger.kind" alwaysOn />,
        <TextInput key="currency" source="currency" label="operations.ledger.currency" />,
      ]}
    />
  );
}

function AccountLink({ accountId }: { accountId: string }) {
  const filter = encodeURIComponent(JSON.stringify({ accountId }));
  return (
    // Large enough for a finger, however short the id is.
    <MuiLink
      component={Link}
      to={`/ledger-transfers?filter=${filter}`}
      sx={{ display: 'inline-block', minWidth: 28, minHeight: 28, lineHeight: '28px', textAlign: 'center' }}
    >
      {accountId}
    </MuiLink>
  );
}

const TRANSFERS: Column<Transfer>[] = [
  { label: 'operations.ledger.cause', of: ({ cause }) => <Wrapped>{cause}</Wrapped> },
  {
    label: 'operations.work.amount',
    of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
    end: true,
  },
  { label: 'operations.ledger.debit', of: ({ debitAccountId }) => <AccountLink accountId={debitAccountId} /> },
  { label: 'operations.ledger.credit', of: ({ creditAccountId }) => <AccountLink accountId={creditAccountId} /> },
  { label: 'operations.ledger.phase', of: ({ phase }) => phase },
  { label: 'operations.ledger.booked', of: ({ bookedAt }) => <Instant at={bookedAt} /> },
];

export function TransferList() {
  return (
    <ListPage<Transfer>
      columns={TRANSFERS}
      to={false}
      filters={[
        <TextInput key="cause" source="cause" label="operations.ledger.cause" alwaysOn />,
        <TextInput key="accountId" source="accountId" label="operations.ledger.account" alwaysOn />,
      ]}
    />
  );
}

const TRIAL: Column<Trial>[] = [
  { label: 'operations.ledger.currency', of: ({ currency }) => currency },
  {
    label: 'operations.ledger.debits',
    of: ({ debits, currency }) => <Amount amount={debits} currency={currency} />,
    end: true,
  },
  {
    label: 'operations.ledger.credits',
    of: ({ credits, currency }) => <Amount amount={credits} currency={currency} />,
    end: true,
  },
  {
    label: 'operations.ledger.difference',
    of: ({ difference, currency }) => <Amount amount={difference} currency={currency} />,
    end: true,
  },
];

export function TrialBalance() {
  return (
    <ListPage<Trial>
      columns={TRIAL}
      to={false}
      acts={<PrintButton path="/ledger/1.0.0/trial-balance" name="trial-balance" />}
    />
  );
}

const RUN_TONES: Record<Run['status'], Tone> = { running: 'moving', done: 'good', failed: 'bad' };

const RUNS: Column<Run>[] = [
  { label: 'operations.reconciliation.started', of: ({ startedAt }) => <Instant at={startedAt} /> },
  { label: 'operations.object.processor', of: ({ processor }) => processor },
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} tone={RUN_TONES[status]} /> },
  {
    label: 'operations.reconciliation.counts',
    of: ({ counts }) => <Counts counts={counts as Record<string, number> | undefined} />,
  },
  { label: 'operations.audit.startedBy', of: ({ startedBy }) => <Wrapped>{startedBy}</Wrapped>, wide: true },
];

function Counts({ counts }: { counts: Record<string, number> | undefined }) {
  const translate = useTranslate();
  return Object.entries(counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${translate(`operations.counts.${name}`)} ${count}`)
    .join(', ');
}

export function RunList() {
  const refresh = useRefresh();
  const translate = useTranslate();
  return (
    <ListPage<Run>
      columns={RUNS}
      to={false}
      acts={
        <OperatorAct
          offered={{ act: 'reconcile', path: '/reconciliation/1.0.0/runs', asks: ['processor'] }}
          about={translate('resources.reconciliation-runs.menu')}
          onDone={refresh}
        />
      }
      filters={[<TextInput key="processor" source="processor" label="operations.object.processor" alwaysOn />]}
    />
  );
}

const DIFFERENCE_TONES: Record<Difference['status'], Tone> = {
  open: 'waiting',
  resolved: 'good',
  matched_later: 'good',
};

const DIFFERENCES: Column<Difference>[] = [
  { label: 'operations.work.kind', of: ({ kind }) => <Kind kind={kind} /> },
  { label: 'operations.object.payment', of: ({ line }) => <Wrapped>{line.paymentReference}</Wrapped> },
  {
    label: 'operations.reconciliation.reported',
    of: ({ reported, currency }) => <Amount amount={reported} currency={currency} />,
    end: true,
  },
  {
    label: 'operations.reconciliation.expected',
    of: ({ expected, currency }) => <Amount amount={expected} currency={currency} />,
    end: true,
  },
  { label: 'operations.object.processor', of: ({ processor }) => processor },
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} tone={DIFFERENCE_TONES[status]} /> },
  { label: 'operations.work.since', of: ({ foundAt }) => <Instant at={foundAt} /> },
  { label: 'operations.work.acts', of: (difference) => <Resolve difference={difference} /> },
];

function Kind({ kind }: { kind: Difference['kind'] }) {
  const translate = useTranslate();
  return translate(`operations.differences.${kind}`);
}

function Resolve({ difference }: { difference: Difference }) {
  const refresh = useRefresh();
  const { differenceId, status, tenantId, reported, expected, currency } = difference;
  if (status !== 'open') return difference.reason ?? null;
  const offered: WorkAct = {
    act: 'resolve',
    path: `/reconciliation/1.0.0/differences/${differenceId}/resolve`,
    asks: ['resolution', ...(tenantId ? [] : ['tenantId']), 'reason'],
  };
  const amount = reported ?? expected;
  return <OperatorAct offered={offered} about={differenceId} amount={amount} currency={currency} onDone={refresh} />;
}

export function DifferenceList() {
  const kinds = ['missing_here', 'missing_there', 'different_amount', 'different_fee'];
  return (
    <ListPage<Difference>
      columns={DIFFERENCES}
      to={false}
      filterDefaults={{ status: 'open' }}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="operations.work.status"
          choices={Object.keys(DIFFERENCE_TONES).map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
        <SelectInput
          key="kind"
          source="kind"
          label="operations.work.kind"
          choices={kinds.map((id) => ({ id, name: `operations.differences.${id}` }))}
        />,
        <TextInput key="processor" source="processor" label="operations.object.processor" />,
        <TextInput key="paymentReference" source="paymentReference" label="operations.object.payment" />,
      ]}
    />
  );
}
