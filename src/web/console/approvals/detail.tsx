import { Box, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Amount, useAmountText } from '../parts/amount';
import { Copyable, Fact, Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { Picture, StoredFile } from '../parts/stored-file';
import { TextLink } from '../parts/text-link';
import { addressOf, api } from '../server/api';
import type { Approval, Kind } from './approval';

/** What has to be looked at before somebody decides. */
export function Detail({ approval }: { approval: Approval }) {
  const Of = DETAILS[approval.kind];
  return <Of approval={approval} />;
}

const DETAILS: Record<Kind, (props: { approval: Approval }) => React.ReactNode> = {
  item: Item,
  payment_link: PaymentLink,
  document: Document,
  customer: Customer,
  payout_account: PayoutAccount,
};

function Item({ approval: { subjectId: itemId, requestedBy } }: { approval: Approval }) {
  const translate = useTranslate();
  const { data: item, error } = useReading(['item', itemId], (signal) =>
    api.get('/inventory/1.0.0/items/{itemId}', { path: { itemId }, signal }),
  );
  if (!item) return <Problem error={error} />;
  return (
    <>
      <Facts>
        <Fact name={translate('approvals.facts.price')}>
          <Amount amount={item.price} currency={item.currency} />
        </Fact>
        <Fact name={translate('approvals.facts.quantity')}>{String(item.quantity)}</Fact>
        <Fact name={translate('approvals.facts.sku')}>{item.sku}</Fact>
        <Fact name={translate('approvals.facts.description')}>{item.description}</Fact>
        <RequestedBy id={requestedBy} />
      </Facts>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
        {item.images.map((imageId, at) => (
          <Picture
            key={imageId}
            height={200}
            address={addressOf('/inventory/1.0.0/items/{itemId}/images/{imageId}', { itemId, imageId })}
            text={translate('approvals.facts.picture', { number: at + 1, name: item.name })}
          />
        ))}
      </Box>
    </>
  );
}

function PaymentLink({ approval: { subjectId: linkId, requestedBy } }: { approval: Approval }) {
  const translate = useTranslate();
  const say = useAmountText();
  const { data: link, error } = useReading(['link', linkId], (signal) =>
    api.get('/payment-links/1.0.0/links/{linkId}', { path: { linkId }, signal }),
  );
  if (!link) return <Problem error={error} />;
  const { amount, currency } = link;
  return (
    <Facts>
      <Fact name={translate('approvals.facts.description')}>{link.description}</Fact>
      <Fact name={translate('approvals.facts.reference')}>{link.reference}</Fact>
      <Fact name={translate('approvals.facts.amount')}>
        {amount &&
          (amount.min === amount.max
            ? say(amount.max, currency)
            : translate('approvals.facts.amountRange', {
                min: say(amount.min, currency),
                max: say(amount.max, currency),
              }))}
      </Fact>
      {link.lines?.map((line, at) => (
        <Fact
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a link do not change
          key={at}
          name={`${line.quantity} ×`}
        >
          {'description' in line ? `${line.description}, ${say(line.amount, currency)}` : line.itemId}
        </Fact>
      ))}
      <Fact name={translate('approvals.facts.expires')}>
        <Instant at={link.expiresAt} />
      </Fact>
      <Fact name={translate('approvals.facts.decisions')}>
        {link.approval.decisions.map(({ by, decision, reason }) => `${by}: ${decision} ${reason ?? ''}`).join('; ')}
      </Fact>
      <RequestedBy id={requestedBy} />
    </Facts>
  );
}

function Document({ approval: { subjectId, customerId = '' } }: { approval: Approval }) {
  const translate = useTranslate();
  const path = { customerId };
  const { data: customer } = useReading(['customer', customerId], (signal) =>
    api.get('/customer/1.0.0/fetch/{customerId}', { path, signal }),
  );
  const { data, error } = useReading(['documents', customerId], (signal) =>
    api.get('/customer/1.0.0/{customerId}/documents', { path, signal }),
  );
  const document = data?.data.find(({ documentId }) => documentId === subjectId);
  if (!document) return <Problem error={error} />;
  const name = document.name ?? document.documentType ?? document.documentId;
  return (
    <>
      <Facts>
        <Fact name={translate('approvals.facts.customer')}>
          <ToCustomer id={customerId} name={customer?.customerName} />
        </Fact>
        <Fact name={translate('approvals.facts.document')}>
          {[document.documentType, document.name].filter(Boolean).join(', ')}
        </Fact>
      </Facts>
      {document.file ? (
        <StoredFile
          path="/customer/1.0.0/{customerId}/documents/{documentId}/file"
          params={{ customerId, documentId: document.documentId }}
          contentType={document.file.contentType}
          text={translate('approvals.facts.file', { name, customer: customer?.customerName ?? customerId })}
        />
      ) : (
        <Typography variant="body2">{translate('approvals.facts.noFile')}</Typography>
      )}
    </>
  );
}

function Customer({ approval: { subjectId: customerId } }: { approval: Approval }) {
  const translate = useTranslate();
  const { data: customer, error } = useReading(['customer', customerId], (signal) =>
    api.get('/customer/1.0.0/fetch/{customerId}', { path: { customerId }, signal }),
  );
  if (!customer) return <Problem error={error} />;
  const documents = customer.person?.documents ?? [];
  return (
    <Facts>
      <Fact name={translate('approvals.facts.customer')}>
        <ToCustomer id={customerId} name={customer.customerName} />
      </Fact>
      <Fact name={translate('approvals.facts.document')}>
        {documents.map(({ documentType, status }) => `${documentType}: ${translate(`status.${status}`)}`).join('; ')}
      </Fact>
    </Facts>
  );
}

function PayoutAccount({ approval: { subjectId, organizationId = '', requestedBy } }: { approval: Approval }) {
  const translate = useTranslate();
  const { data, error } = useReading(['payout-accounts', organizationId], (signal) =>
    api.get('/payouts/1.0.0/accounts/{organizationId}', { path: { organizationId }, signal }),
  );
  const account = data?.history.find(({ accountId }) => accountId === subjectId);
  if (!account) return <Problem error={error} />;
  return (
    <Facts>
      <Fact name={translate('approvals.facts.holder')}>{account.holder}</Fact>
      <Fact name={translate('approvals.facts.iban')}>
        <Copyable text={account.iban} />
      </Fact>
      <Fact name={translate('approvals.facts.bic')}>{account.bic}</Fact>
      <Fact name={translate('approvals.facts.since')}>
        <Instant at={account.createdAt} />
      </Fact>
      <RequestedBy id={requestedBy} />
    </Facts>
  );
}

function RequestedBy({ id }: { id?: string }) {
  const translate = useTranslate();
  return <Fact name={translate('approvals.requestedBy')}>{id && <Copyable text={id} />}</Fact>;
}

function ToCustomer({ id, name }: { id: string; name?: string }) {
  return <TextLink to={`/customers/${id}/show`}>{name ?? id}</TextLink>;
}
