import { useState } from 'react';
import { TextInput, usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount } from '../parts/amount';
import { AmountInput, ChoiceInput, Input, instantOf } from '../parts/input';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { api, type BodyOf } from '../server/api';
import { useScope } from '../session/scope';
import type { Person } from '../session/session';
import type { Terms } from './payout';

const SCHEDULES: Terms['schedule'][] = ['daily', 'weekly', 'monthly', 'on_demand'];

export default function TermsList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const columns: Column<Terms>[] = [
    { label: 'payouts.terms.from', of: ({ effectiveFrom }) => <Instant at={effectiveFrom} /> },
    { label: 'payouts.terms.whom', of: ({ organizationId }) => organizationId ?? translate('payouts.terms.everyone') },
    { label: 'payouts.currency', of: ({ currency }) => currency },
    {
      label: 'payouts.terms.schedule',
      of: ({ schedule, weekday, dayOfMonth }) =>
        translate(`payouts.terms.schedules.${schedule}`, { day: weekday ?? dayOfMonth }),
    },
    {
      label: 'payouts.balance.minimum',
      of: ({ minimum, currency }) => <Amount amount={minimum} currency={currency} />,
      end: true,
    },
    {
      label: 'payouts.terms.reserve',
      of: ({ reserveBasisPoints, reserveDays }) =>
        reserveBasisPoints > 0 &&
        translate('payouts.terms.reserveOf', { basisPoints: reserveBasisPoints, days: reserveDays }),
    },
  ];
  return (
    <ListPage<Terms>
      columns={columns}
      to={false}
      filters={[<TextInput key="currency" source="currency" label="payouts.currency" alwaysOn resettable />]}
      acts={person?.role === 'tenant_admin' && <AddTerms />}
    />
  );
}

/** A new version; what was agreed before stays on record. */
function AddTerms() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { organizationId } = useScope();
  const [fields, setFields] = useState({
    currency: 'EUR',
    schedule: 'weekly' as Terms['schedule'],
    day: '1',
    minimum: '',
    reserveBasisPoints: '',
    reserveDays: '',
    effectiveFrom: '',
  });
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const { currency, schedule, day, minimum, reserveBasisPoints, reserveDays, effectiveFrom } = fields;
  const body = {
    ...(organizationId && { organizationId }),
    currency,
    schedule,
    ...(schedule === 'weekly' && { weekday: Number(day) }),
    ...(schedule === 'monthly' && { dayOfMonth: Number(day) }),
    ...(minimum && { minimum }),
    ...(reserveBasisPoints && { reserveBasisPoints: Number(reserveBasisPoints), reserveDays: Number(reserveDays) }),
    ...(effectiveFrom && { effectiveFrom: instantOf(effectiveFrom) }),
  } as BodyOf<'/payouts/1.0.0/terms', 'put'>;
  return (
    <Act
      id={`terms/${organizationId ?? 'all'}`}
      label={translate('payouts.terms.add')}
      question={translate(organizationId ? 'payouts.terms.questionOne' : 'payouts.terms.question')}
      variant="contained"
      values={body}
      send={() => api.put('/payouts/1.0.0/terms', { body })}
      onDone={refresh}
    >
      <Input label={translate('payouts.currency')} value={currency} onChange={set('currency')} required />
      <ChoiceInput
        label={translate('payouts.terms.schedule')}
        value={schedule}
        onChange={set('schedule')}
        choices={SCHEDULES.map((id) => ({ id, name: translate(`payouts.terms.schedules.${id}`, { day }) }))}
      />
      {(schedule === 'weekly' || schedule === 'monthly') && (
        <Input
          label={translate(schedule === 'weekly' ? 'payouts.terms.weekday' : 'payouts.terms.dayOfMonth')}
          value={day}
          onChange={set('day')}
          type="number"
          required
        />
      )}
      <AmountInput label={translate('payouts.balance.minimum')} value={minimum} onChange={set('minimum')} />
      <Input
        label={translate('payouts.terms.basisPoints')}
        value={reserveBasisPoints}
        onChange={set('reserveBasisPoints')}
        type="number"
      />
      {reserveBasisPoints !== '' && (
        <Input
          label={translate('payouts.terms.reserveDays')}
          value={reserveDays}
          onChange={set('reserveDays')}
          type="number"
          required
        />
      )}
      <Input
        label={translate('payouts.terms.from')}
        value={effectiveFrom}
        onChange={set('effectiveFrom')}
        type="datetime-local"
      />
    </Act>
  );
}
