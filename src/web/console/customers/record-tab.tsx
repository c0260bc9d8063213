import { Button, Typography } from '@mui/material';
import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { Status } from '../parts/status';
import { StoredFile } from '../parts/stored-file';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import { saveFile } from '../server/export';
import { ChangeRecord } from './change-record';
import { CUSTOMER_TONES, type Customer, type CustomerDocument, DOCUMENT_TONES } from './customer';

/** Who it is, with which documents, and how it came to its status. */
export function RecordTab({ customer, canChange }: { customer: Customer; canChange: boolean }) {
  return (
    <>
      <Record customer={customer} canChange={canChange} />
      <Documents customer={customer} canChange={canChange} />
      <History customer={customer} />
    </>
  );
}

function Record({ customer, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const [error, setError] = useState<unknown>();
  const { customerId, ownId, customerType, organizationId, categorization, person, createdAt } = customer;
  const save = () =>
    saveFile('/customer/1.0.0/{customerId}/export', { customerId }, 'application/json', `${customerId}.json`).catch(
      setError,
    );
  return (
    <Section
      title={translate('customers.record')}
      acts={
        <>
          {canChange && <ChangeRecord customer={customer} />}
          <Button size="small" onClick={save}>
            {translate('customers.saveAll')}
          </Button>
        </>
      }
    >
      <Problem error={error} />
      <Facts>
        <Fact name={translate('console.record.id')}>
          <Copyable text={customerId} />
        </Fact>
        <Fact name={translate('customers.ownId')}>{ownId}</Fact>
        <Fact name={translate('customers.type')}>{customerType && translate(`customers.types.${customerType}`)}</Fact>
        <Fact name={translate('customers.fullName')}>
          {[person?.firstName?.name, person?.lastName?.name].filter(Boolean).join(' ')}
        </Fact>
        <Fact name={translate('customers.email')}>{person?.email}</Fact>
        <Fact name={translate('customers.phone')}>
          {person?.telephoneNumbers
            ?.map(({ country, number }) => [country, number].filter(Boolean).join(' '))
            .join(', ')}
        </Fact>
        <Fact name={translate('customers.born')}>{person?.dateOfBirth}</Fact>
        <Fact name={translate('customers.nationality')}>{person?.nationality}</Fact>
        {person?.addresses?.map(({ addressPurpose, address }, at) => (
          <Fact
            // biome-ignore lint/suspicious/noArrayIndexKey: the addresses of a record stand in one order
            key={at}
            name={addressPurpose ?? translate('customers.address')}
          >
            {[address?.street, address?.streetNumber?.join(' '), address?.zipCode, address?.city, address?.country]
              .filter(Boolean)
              .join(', ')}
          </Fact>
        ))}
        <Fact name={translate('customers.organization')}>{organizationId && <Copyable text={organizationId} />}</Fact>
        <Fact name={translate('customers.category')}>{categorization}</Fact>
        <Fact name={translate('customers.created')}>
          <Instant at={createdAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function Documents({ customer, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const { customerId } = customer;
  const { data, error } = useReading(['documents', customerId], (signal) =>
    api.get('/customer/1.0.0/{customerId}/documents', { path: { customerId }, signal }),
  );
  return (
    <Section title={translate('customers.documents')}>
      <Problem error={error} />
      {data?.data.length === 0 && <Typography color="text.secondary">{translate('console.list.none')}</Typography>}
      {data?.data.map((document) => (
        <Document key={document.documentId} customer={customer} document={document} canChange={canChange} />
      ))}
    </Section>
  );
}

interface DocumentProps {
  customer: Customer;
  document: CustomerDocument;
  canChange: boolean;
}

function Document({ customer: { customerId, customerName = '' }, document, canChange }: DocumentProps) {
  const translate = useTranslate();
  const { documentId, documentType, name, status, verificationResponse, expiresAt, reviewedBy, file } = document;
  const text = [documentType, name].filter(Boolean).join(', ');
  return (
    <Section
      title={text || documentId}
      acts={
        <>
          <Status value={status} tone={DOCUMENT_TONES[status]} />
          {canChange && <Review customerId={customerId} document={document} decision="approve" text={text} />}
          {canChange && <Review customerId={customerId} document={document} decision="reject" text={text} />}
        </>
      }
    >
      <Facts>
        <Fact name={translate('customers.review')}>{verificationResponse}</Fact>
        <Fact name={translate('customers.reviewedBy')}>{reviewedBy}</Fact>
        <Fact name={translate('customers.expires')}>{expiresAt && <Instant at={expiresAt} date />}</Fact>
      </Facts>
      {file && canChange ? (
        <StoredFile
          path="/customer/1.0.0/{customerId}/documents/{documentId}/file"
          params={{ customerId, documentId }}
          contentType={file.contentType}
          text={translate('customers.file', { document: name ?? documentType, name: customerName })}
        />
      ) : (
        !file && <Typography variant="body2">{translate('customers.noFile')}</Typography>
      )}
    </Section>
  );
}

interface ReviewProps {
  customerId: string;
  document: CustomerDocument;
  decision: 'approve' | 'reject';
  text: string;
}

function Review({ customerId, document: { documentId, status, file }, decision, text }: ReviewProps) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [reason, setReason] = useState('');
  const path = { customerId, documentId };
  // What was looked at: another file that came meanwhile is not decided about.
  const seen = file ? { fileId: file.fileId } : {};
  const given = reason.trim();
  const isApproval = decision === 'approve';
  return (
    <Act
      id={`${decision}/${documentId}`}
      label={translate(`customers.${decision}`)}
      color={isApproval ? 'primary' : 'error'}
      question={translate(`customers.${decision}Question`, { document: text })}
      values={{ reason, ...seen }}
      disabled={isApproval ? status !== 'underverification' && status !== 'rejected' : status === 'rejected'}
      send={({ idempotencyKey }) =>
        isApproval
          ? api.post('/customer/1.0.0/{customerId}/documents/{documentId}/approve', {
              path,
              body: { ...seen, ...(given && { reason: given }) },
              idempotencyKey,
            })
          : api.post('/customer/1.0.0/{customerId}/documents/{documentId}/reject', {
              path,
              body: { ...seen, reason: given },
              idempotencyKey,
            })
      }
      outcomeOf={({ status: now }) => ({
        state: 'done',
        text: translate('customers.reviewed', { document: text, status: translate(`status.${now}`) }),
      })}
      onDone={refresh}
    >
      <Input
        label={translate('console.act.reason')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        required={!isApproval}
        multiline
      />
    </Act>
  );
}

function History({ customer: { customerId } }: { customer: Customer }) {
  const translate = useTranslate();
  const { data, error } = useReading(['customer-events', customerId], (signal) =>
    api.get('/customer/1.0.0/{customerId}/events', { path: { customerId }, signal }),
  );
  return (
    <Section title={translate('customers.history')}>
      <Problem error={error} />
      <Timeline
        steps={(data?.data ?? []).map(({ at, to, actor, reason }) => ({
          at,
          what: <Status value={to} tone={CUSTOMER_TONES[to]} />,
          detail: translate('customers.historyLine', { reason, actor }),
        }))}
      />
    </Section>
  );
}
