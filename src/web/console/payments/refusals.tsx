import { Box, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { useAmountText } from '../parts/amount';
import type { RecordOf } from '../server/api';

type Statistics = RecordOf<'/ipg/1.0.0/payment/statistics'>;

export interface RefusalsProps {
  refusals: Statistics['refusals'];
  currency: string;
  days: number;
}

const WIDTH = 100;

/** Why payments were refused: a table, and a bar in each line that is as long as its number of payments. */
export function Refusals({ refusals, currency, days }: RefusalsProps) {
  const translate = useTranslate();
  const say = useAmountText();
  const title = translate('payments.overview.refusals', { days });
  const most = Math.max(...refusals.map(({ count }) => count));
  return (
    <>
      <Typography component="h3" variant="subtitle2" sx={{ mt: 2 }}>
        {title}
      </Typography>
      {/* Who has only a keyboard scrolls a wide table with the arrows. */}
      <Box role="group" aria-label={title} tabIndex={0} sx={{ overflowX: 'auto' }}>
        <Box
          component="table"
          sx={{
            width: '100%',
            borderSpacing: '0 0.25rem',
            fontSize: '0.875rem',
            textAlign: 'left',
            '& th, & td': { pr: 2, verticalAlign: 'top' },
            '& th': { fontWeight: 400 },
            '& .end': { textAlign: 'right', whiteSpace: 'nowrap' },
          }}
        >
          <thead>
            <tr>
              <th scope="col">{translate('payments.overview.reason')}</th>
              <th scope="col" className="end">
                {translate('payments.overview.payments')}
              </th>
              <th scope="col" className="end">
                {translate('payments.overview.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {refusals.map(({ result, count, amount }) => (
              <tr key={result.code}>
                <th scope="row">
                  {result.code} {result.description}
                  <Box
                    component="svg"
                    viewBox={`0 0 ${WIDTH} 4`}
                    preserveAspectRatio="none"
                    aria-hidden
                    sx={{ display: 'block', width: '100%', height: 8, color: 'error.main' }}
                  >
                    <rect width={(WIDTH * count) / most} height={4} fill="currentColor" />
                  </Box>
                </th>
                <td className="end">{count}</td>
                <td className="end">{say(amount, currency)}</td>
              </tr>
            ))}
          </tbody>
        </Box>
      </Box>
    </>
  );
}
