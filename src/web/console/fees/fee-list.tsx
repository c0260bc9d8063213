import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { type Fee, OPERATIONS } from './fee';

const COLUMNS: Column<Fee>[] = [
  { label: 'fees.operation', of: ({ operation }) => <Operation of={operation} /> },
  { label: 'fees.state', of: (fee) => <State fee={fee} /> },
  { label: 'fees.currency', of: ({ currency }) => currency },
  { label: 'fees.fixed', of: ({ fixed, currency }) => <Amount amount={fixed} currency={currency} />, end: true },
  { label: 'fees.basisPoints', of: ({ basisPoints }) => basisPoints, end: true },
  { label: 'fees.minimum', of: ({ minimum, currency }) => <Amount amount={minimum} currency={currency} />, end: true },
  { label: 'fees.maximum', of: ({ maximum, currency }) => <Amount amount={maximum} currency={currency} />, end: true },
  { label: 'fees.payer', of: ({ payer }) => <Payer of={payer} /> },
  { label: 'fees.effectiveFrom', of: ({ effectiveFrom }) => <Instant at={effectiveFrom} /> },
];

/** All versions: what was, what is charged now, what comes. */
export default function FeeList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <ListPage<Fee>
      columns={COLUMNS}
      to={false}
      acts={
        person?.role === 'tenant_admin' && (
          <Button size="small" component={Link} to="/fees/create" startIcon={<AddIcon />}>
            {translate('fees.create')}
          </Button>
        )
      }
      filters={[
        <SelectInput
          key="operation"
          source="operation"
          label="fees.operation"
          choices={OPERATIONS.map((id) => ({ id, name: `operations.${id}` }))}
          alwaysOn
        />,
        <TextInput key="currency" source="currency" label="fees.currency" alwaysOn />,
      ]}
    />
  );
}

function Operation({ of }: { of: string }) {
  return useTranslate()(`operations.${of}`);
}

function Payer({ of }: { of: string }) {
  return useTranslate()(`fees.payers.${of}`);
}

function State({ fee: { inEffect, effectiveFrom } }: { fee: Fee }) {
  const translate = useTranslate();
  const state = inEffect ? 'now' : Date.parse(effectiveFrom) > Date.now() ? 'later' : 'past';
  const tone = { now: 'good', later: 'moving', past: 'plain' } as const;
  return <Status value={state} label={translate(`fees.states.${state}`)} tone={tone[state]} />;
}
