import { Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useNotify, usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PrintButton } from '../parts/print-button';
import { Problem, problemText } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { saveFile } from '../server/export';
import { currentScope } from '../session/scope';
import type { Person } from '../session/session';
import { PAYOUT_TONES, type Payout } from './payout';

const STATEMENT = '/payouts/1.0.0/payouts/{payoutId}/statement';

export default function PayoutPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Payout>
      titleOf={({ number }) => translate('payouts.title', { number })}
      markOf={({ status }) => <Status value={status} tone={PAYOUT_TONES[status]} />}
      actsOf={(payout) => payout.status === 'scheduled' && <Cancel payout={payout} />}
    >
      {(payout) => (
        <>
          <Section title={translate('payouts.facts')}>
            <Facts>
              <Fact name={translate('payouts.amount')}>
                <Amount amount={payout.amount} currency={payout.currency} />
              </Fact>
              <Fact name={translate('payouts.detail')}>{payout.detail}</Fact>
              <Fact name={translate('payouts.origin')}>{translate(`payouts.origins.${payout.origin}`)}</Fact>
              <Fact name={translate('payouts.sendAt')}>
                <Instant at={payout.sendAt} />
              </Fact>
              <Fact name={translate('payouts.sentAt')}>{payout.sentAt && <Instant at={payout.sentAt} />}</Fact>
              <Fact name={translate('payouts.processorReference')}>{payout.processorReference}</Fact>
              <Fact name={translate('payouts.created')}>
                <Instant at={payout.createdAt} />
              </Fact>
              <Fact name={translate('console.record.id')}>
                <Copyable text={payout.payoutId} />
              </Fact>
            </Facts>
          </Section>
          <Statement payout={payout} />
        </>
      )}
    </RecordPage>
  );
}

function Statement({ payout: { payoutId, number, currency } }: { payout: Payout }) {
  const translate = useTranslate();
  const notify = useNotify();
  const { permissions: person } = usePermissions<Person>();
  const { data, error } = useQuery({
    queryKey: ['payout-statement', payoutId, currentScope()],
    queryFn: ({ signal }) => api.get(STATEMENT, { path: { payoutId }, signal }),
  });
  const save = (path: string, accept: string, name: string) =>
    saveFile(path, { payoutId }, accept, name).catch((thrown) =>
      notify(problemText(thrown, translate), { type: 'error' }),
    );
  return (
    <Section
      title={translate('payouts.statement')}
      acts={
        <>
          <PrintButton path={STATEMENT} params={{ payoutId }} name={`payout-${number}`} />
          <Button size="small" onClick={() => save(STATEMENT, 'text/csv', `payout-${number}.csv`)}>
            {translate('payouts.csv')}
          </Button>
          {person?.role === 'tenant_admin' && (
            <Button
              size="small"
              onClick={() => save('/payouts/1.0.0/payouts/{payoutId}/pain001', '*/*', `payout-${number}.xml`)}
            >
              {translate('payouts.pain001')}
            </Button>
          )}
        </>
      }
    >
      <Problem error={error} />
      {data && (
        <Facts>
          {data.lines.map(({ name, title, amount }) => (
            <Fact key={name} name={translate(`payouts.lines.${name}`, { _: title })}>
              <Amount amount={amount} currency={currency} />
            </Fact>
          ))}
        </Facts>
      )}
    </Section>
  );
}

function Cancel({ payout: { payoutId, amount, currency } }: { payout: Payout }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  return (
    <Act
      id={`cancel/${payoutId}`}
      label={translate('payouts.cancel.act')}
      question={translate('payouts.cancel.question', { amount: say(amount, currency) })}
      color="error"
      send={({ idempotencyKey }) =>
        api.post('/payouts/1.0.0/payouts/{payoutId}/cancel', { path: { payoutId }, idempotencyKey })
      }
      onDone={refresh}
    />
  );
}
