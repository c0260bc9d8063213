import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { type Column, ListPage } from '../parts/list-page';
import type { Person } from '../session/session';
import { type Limit, OPERATIONS } from './fee';

const amountOf = (name: 'perTransaction' | 'dailyAmount' | 'monthlyAmount'): Column<Limit> => ({
  label: `limits.${name}`,
  of: (row) => <Amount amount={row[name]} currency={row.currency} />,
  end: true,
});

const COLUMNS: Column<Limit>[] = [
  { label: 'fees.operation', of: ({ operation }) => <Operation of={operation} /> },
  { label: 'limits.whose', of: ({ customerId }) => <Whose id={customerId} /> },
  { label: 'fees.currency', of: ({ currency }) => currency },
  amountOf('perTransaction'),
  amountOf('dailyAmount'),
  { label: 'limits.dailyCount', of: ({ dailyCount }) => dailyCount, end: true },
  amountOf('monthlyAmount'),
  { label: 'limits.monthlyCount', of: ({ monthlyCount }) => monthlyCount, end: true },
];

/** The limits of the tenant, then those of single customers. What is empty is not limited. */
export default function LimitList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const isAdmin = person?.role === 'tenant_admin';
  return (
    <ListPage<Limit>
      columns={COLUMNS}
      // A limit is changed by setting it again.
      to={isAdmin ? (row) => `/limits/create?${new URLSearchParams(textOf(row))}` : false}
      acts={
        isAdmin && (
          <Button size="small" component={Link} to="/limits/create" startIcon={<AddIcon />}>
            {translate('limits.create')}
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
        <TextInput key="customerId" source="customerId" label="limits.customerId" />,
      ]}
    />
  );
}

function textOf({
  customerId,
  operation,
  currency,
  perTransaction,
  dailyAmount,
  dailyCount,
  monthlyAmount,
  monthlyCount,
}: Limit) {
  const all = {
    customerId,
    operation,
    currency,
    perTransaction,
    dailyAmount,
    dailyCount,
    monthlyAmount,
    monthlyCount,
  };
  return Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function Operation({ of }: { of: string }) {
  return useTranslate()(`operations.${of}`);
}

function Whose({ id }: { id?: string }) {
  const translate = useTranslate();
  return id ?? translate('limits.everybody');
}
