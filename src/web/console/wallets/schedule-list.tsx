import { SelectInput, TextInput, usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ToCustomer } from './to-customer';
import { choicesOf, SCHEDULE_TONES, type Schedule } from './wallet';

const COLUMNS: Column<Schedule>[] = [
  { label: 'wallets.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  { label: 'wallets.status', of: ({ status }) => <Status value={status} tone={SCHEDULE_TONES[status]} /> },
  { label: 'wallets.sender', of: ({ senderId }) => <ToCustomer id={senderId} /> },
  { label: 'wallets.recipient', of: ({ recipientId, recipient }) => <ToCustomer id={recipientId} text={recipient} /> },
  { label: 'wallets.frequency', of: ({ frequency }) => <Frequency of={frequency} /> },
  { label: 'wallets.next', of: ({ nextAt }) => <Instant at={nextAt} /> },
  { label: 'wallets.end', of: (schedule) => <End schedule={schedule} /> },
];

/** Transfers that are made again and again. */
export default function ScheduleList() {
  return (
    <ListPage<Schedule>
      columns={COLUMNS}
      to={false}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="wallets.status"
          choices={choicesOf(SCHEDULE_TONES)}
          alwaysOn
        />,
        <TextInput key="customerId" source="customerId" label="wallets.customer" alwaysOn />,
      ]}
    />
  );
}

function Frequency({ of }: { of: string }) {
  return useTranslate()(`frequencies.${of}`);
}

function End({ schedule: { scheduleId, status, amount, currency, recipient } }: { schedule: Schedule }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const { permissions: person } = usePermissions<Person>();
  if (person?.role !== 'tenant_admin') return null;
  return (
    <Act
      id={`end/${scheduleId}`}
      label={translate('wallets.end')}
      question={translate('wallets.endQuestion', { amount: say(amount, currency), recipient })}
      color="error"
      disabled={status !== 'active'}
      send={({ idempotencyKey }) =>
        api.post('/p2p/1.0.0/schedules/{scheduleId}/cancel', { path: { scheduleId }, idempotencyKey })
      }
      onDone={refresh}
    />
  );
}
