import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Input, instantOf } from '../parts/input';
import { saveFile } from '../server/export';

/** The payouts of a time as one file for a bank. Who takes it is written to the audit log. */
export function BankFile() {
  const translate = useTranslate();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [currency, setCurrency] = useState('');
  return (
    <Act
      id="payouts/pain001"
      label={translate('payouts.pain001')}
      question={translate('payouts.bankFile.question')}
      values={{ from, to, currency }}
      send={() =>
        saveFile('/payouts/1.0.0/pain001', {}, '*/*', 'payouts.xml', {
          from: instantOf(from),
          to: instantOf(to),
          currency: currency.trim().toUpperCase(),
        })
      }
      outcomeOf={() => ({ state: 'done', text: translate('payouts.bankFile.done') })}
    >
      <Input
        label={translate('payouts.bankFile.from')}
        value={from}
        onChange={setFrom}
        type="datetime-local"
        required
      />
      <Input label={translate('payouts.bankFile.to')} value={to} onChange={setTo} type="datetime-local" required />
      <Input
        label={translate('payouts.currency')}
        helperText={translate('payouts.bankFile.currencyHelp')}
        value={currency}
        onChange={setCurrency}
        slotProps={{ htmlInput: { maxLength: 3 } }}
      />
    </Act>
  );
}
