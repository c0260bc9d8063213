import { useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import type { Statement } from './transfer';

export default function StatementPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Statement>
      titleOf={({ reference, statementId }) => reference ?? statementId}
      markOf={({ status }) => <Status value={`statement_${status}`} tone={status === 'booked' ? 'good' : 'moving'} />}
    >
      {(statement) => (
        <>
          <Section title={translate('bankTransfers.statements.facts')}>
            <Facts>
              <Fact name={translate('bankTransfers.statements.account')}>
                <Copyable text={statement.accountId} />
              </Fact>
              {(['openingBalance', 'credits', 'debits', 'closingBalance'] as const).map((name) => (
                <Fact key={name} name={translate(`bankTransfers.statements.${name}`)}>
                  {statement[name] && <Amount amount={statement[name]} currency={statement.currency} />}
                </Fact>
              ))}
              {Object.entries(statement.outcomes ?? {}).map(([outcome, lines]) => (
                <Fact key={outcome} name={translate(`bankTransfers.outcomes.${outcome}`)}>
                  {String(lines)}
                </Fact>
              ))}
              <Fact name={translate('bankTransfers.created')}>
                <Instant at={statement.createdAt} />
              </Fact>
            </Facts>
          </Section>
          <SubList
            title={translate('bankTransfers.statements.lines')}
            path="/bank-transfer/1.0.0/statements/{statementId}/lines"
            params={{ statementId: statement.statementId }}
            name={`lines-${statement.statementId}`}
            keyOf={({ number }) => String(number)}
            columns={[
              { label: 'bankTransfers.statements.bookedOn', of: ({ bookedOn }) => bookedOn },
              {
                label: 'bankTransfers.amount',
                of: ({ amount, direction }) => (
                  <>
                    {direction === 'debit' && '−'}
                    <Amount amount={amount} currency={statement.currency} />
                  </>
                ),
                end: true,
              },
              {
                label: 'bankTransfers.statements.outcome',
                of: ({ outcome }) => outcome && translate(`bankTransfers.outcomes.${outcome}`),
              },
              { label: 'bankTransfers.payerName', of: ({ payerName, payerIban }) => payerName ?? payerIban },
              { label: 'bankTransfers.statements.text', of: ({ text }) => text },
            ]}
          />
        </>
      )}
    </RecordPage>
  );
}
