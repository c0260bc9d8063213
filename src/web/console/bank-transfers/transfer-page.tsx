import { Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { TextLink } from '../parts/text-link';
import { RETURN_TONES, TRANSFER_TONES, type WholeTransfer } from './transfer';

export default function TransferPage() {
  const translate = useTranslate();
  return (
    <RecordPage<WholeTransfer>
      titleOf={({ merchantTransactionId }) => merchantTransactionId}
      markOf={({ transactionStatus }) => <Status value={transactionStatus} tone={TRANSFER_TONES[transactionStatus]} />}
    >
      {(transfer) => (
        <>
          <Section
            title={translate('bankTransfers.facts')}
            acts={<TextLink to={`/payments/${transfer.paymentId}/show`}>{translate('bankTransfers.payment')}</TextLink>}
          >
            <Facts>
              <Fact name={translate('bankTransfers.detail')}>{transfer.detail}</Fact>
              {(['amount', 'received', 'missing', 'refunded', 'fee'] as const).map((name) => (
                <Fact key={name} name={translate(`bankTransfers.${name}`)}>
                  <Amount amount={transfer[name]} currency={transfer.currency} />
                </Fact>
              ))}
              <Fact name={translate('bankTransfers.expires')}>
                {transfer.expiresAt && <Instant at={transfer.expiresAt} />}
              </Fact>
              <Fact name={translate('bankTransfers.created')}>
                <Instant at={transfer.createdAt} />
              </Fact>
            </Facts>
          </Section>
          {transfer.action?.fields && (
            <Section title={translate('bankTransfers.payTo')}>
              <Facts>
                {Object.entries(transfer.action.fields).map(([name, value]) => (
                  <Fact key={name} name={translate(`bankTransfers.fields.${name}`, { _: name })}>
                    <Copyable text={String(value)} />
                  </Fact>
                ))}
              </Facts>
            </Section>
          )}
          <Section title={translate('bankTransfers.arrivals')}>
            {transfer.arrivals.length === 0 && <Typography>{translate('bankTransfers.nothingYet')}</Typography>}
            <Facts>
              {transfer.arrivals.map(({ entryId, bookedOn, amount, status, bankReference }) => (
                <Fact key={entryId} name={bookedOn}>
                  <Amount amount={amount} currency={transfer.currency} /> ·{' '}
                  {translate(`bankTransfers.entries.${status}`)} {bankReference}
                </Fact>
              ))}
            </Facts>
          </Section>
          <Section title={translate('bankTransfers.returns')}>
            {transfer.returns.length === 0 && <Typography>{translate('bankTransfers.nothingYet')}</Typography>}
            {transfer.returns.map(({ returnId, amount, currency, status, detail }) => (
              <Typography key={returnId} component="div">
                <Amount amount={amount} currency={currency} />{' '}
                <Status value={`return_${status}`} tone={RETURN_TONES[status]} /> {detail}
              </Typography>
            ))}
          </Section>
        </>
      )}
    </RecordPage>
  );
}
