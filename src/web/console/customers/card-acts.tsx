import { Box } from '@mui/material';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { api, type RecordOf } from '../server/api';

export type Card = RecordOf<'/customer/1.0.0/{customerId}/paymentMethods'>;

/** As people know a card: its brand and what is printed last on it. */
export function cardName({ paymentBrand, card: { last4Digits } }: Card): string {
  return `${paymentBrand} •••• ${last4Digits}`;
}

/** What may be done with a saved card. */
export function CardActs({ customerId, card }: { customerId: string; card: Card }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { paymentMethodId, isDefault } = card;
  const path = { customerId, paymentMethodId };
  const what = { card: cardName(card) };
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {!isDefault && (
        <Act
          id={`default-card/${paymentMethodId}`}
          label={translate('customers.makeDefault')}
          question={translate('customers.makeDefaultQuestion', what)}
          send={() => api.put('/customer/1.0.0/{customerId}/paymentMethods/{paymentMethodId}/default', { path })}
          onDone={refresh}
        />
      )}
      <Act
        id={`remove-card/${paymentMethodId}`}
        label={translate('customers.removeCard')}
        color="error"
        question={translate('customers.removeCardQuestion', what)}
        send={() => api.delete('/customer/1.0.0/{customerId}/paymentMethods/{paymentMethodId}', { path })}
        onDone={refresh}
      />
    </Box>
  );
}
