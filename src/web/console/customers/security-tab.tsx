import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { SubList } from '../parts/sub-list';
import { api, type RecordOf } from '../server/api';
import type { Customer } from './customer';

type Session = RecordOf<'/customer/1.0.0/{customerId}/web-sessions'>;

/** How the customer signs in, where it is signed in, and who looked at its data. */
export function SecurityTab({ customer: { customerId }, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const yesOrNo = (is: boolean) => translate(is ? 'ra.boolean.true' : 'ra.boolean.false');
  const { data, error } = useReading(['two-fa', customerId], (signal) =>
    api.get('/customer/1.0.0/twoFA/{customerId}', { path: { customerId }, signal }),
  );
  return (
    <>
      <Section title={translate('customers.twoFa.title')}>
        <Problem error={error} />
        {data && (
          <Facts>
            {(['login', 'trading', 'funding'] as const).map((name) => (
              <Fact key={name} name={translate(`customers.twoFa.${name}`)}>
                {yesOrNo(data[name])}
              </Fact>
            ))}
          </Facts>
        )}
      </Section>
      {canChange && <Sessions customerId={customerId} />}
      <SubList
        title={translate('customers.audit')}
        name={`audit-${customerId}`}
        path="/customer/1.0.0/audit"
        params={{}}
        query={{ customerId }}
        keyOf={({ at, action, actor }) => `${at} ${action} ${actor}`}
        columns={[
          { label: 'customers.at', of: ({ at }) => <Instant at={at} /> },
          { label: 'customers.what', of: ({ action }) => <code>{action}</code> },
          { label: 'customers.who', of: ({ actor }) => <code>{actor}</code> },
          { label: 'customers.outcome', of: ({ result }) => result },
          { label: 'customers.where', of: ({ source }) => source },
        ]}
      />
    </>
  );
}

function Sessions({ customerId }: { customerId: string }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { data, error } = useReading(['web-sessions', customerId], (signal) =>
    api.get('/customer/1.0.0/{customerId}/web-sessions', { path: { customerId }, signal }),
  );
  return (
    <Section title={translate('customers.sessions')}>
      <Problem error={error} />
      <PlainTable<Session>
        name={translate('customers.sessions')}
        rows={data?.data ?? []}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          { label: 'customers.device', of: ({ device }) => device },
          { label: 'customers.where', of: ({ source }) => source },
          { label: 'customers.seen', of: ({ seenAt }) => <Instant at={seenAt} /> },
          {
            label: 'customers.end',
            of: ({ sessionId, device }) => (
              <Act
                id={`end/${sessionId}`}
                label={translate('customers.end')}
                question={translate('customers.endQuestion', { device })}
                send={() =>
                  api.delete('/customer/1.0.0/{customerId}/web-sessions/{sessionId}', {
                    path: { customerId, sessionId },
                  })
                }
                onDone={refresh}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
