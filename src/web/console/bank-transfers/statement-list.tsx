import { useState } from 'react';
import { SelectInput, TextInput, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount } from '../parts/amount';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import type { Statement } from './transfer';

const COLUMNS: Column<Statement>[] = [
  { label: 'bankTransfers.statements.file', of: ({ reference, statementId }) => reference ?? statementId },
  {
    label: 'bankTransfers.statements.format',
    of: ({ format, version }) => [format, version].filter(Boolean).join(' '),
  },
  { label: 'bankTransfers.statements.lines', of: ({ bookedLines, lines }) => `${bookedLines} / ${lines}`, end: true },
  {
    label: 'bankTransfers.statements.credits',
    of: ({ credits, currency }) => <Amount amount={credits} currency={currency} />,
    end: true,
  },
  {
    label: 'bankTransfers.status',
    of: ({ status }) => <Status value={`statement_${status}`} tone={status === 'booked' ? 'good' : 'moving'} />,
  },
  { label: 'bankTransfers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function StatementList() {
  const statuses = ['stored', 'booked'].map((id) => ({ id, name: `status.statement_${id}` }));
  return (
    <ListPage<Statement>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="bankTransfers.status" choices={statuses} alwaysOn />,
        <TextInput key="accountId" source="accountId" label="bankTransfers.statements.account" />,
      ]}
      acts={<Upload />}
    />
  );
}

/** The media type by which the API reads a file; the browser does not know all of them. */
function typed(file: File): Blob {
  const name = file.name.toLowerCase();
  if (name.endsWith('.xml')) return new Blob([file], { type: 'application/xml' });
  if (name.endsWith('.csv')) return new Blob([file], { type: 'text/csv' });
  return new Blob([file], { type: 'text/plain' });
}

function Upload() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [file, setFile] = useState<File>();
  const [accountId, setAccountId] = useState('');
  return (
    <Act
      id="upload/bank-statement"
      label={translate('bankTransfers.statements.upload')}
      question={translate('bankTransfers.statements.question')}
      variant="contained"
      values={{ name: file?.name, size: file?.size, accountId }}
      send={() =>
        api.post('/bank-transfer/1.0.0/statements', {
          file: typed(file!),
          query: accountId ? { accountId } : {},
          timeoutMs: 0,
        })
      }
      outcomeOf={({ statements, known }) => ({
        state: 'done',
        text: translate(known ? 'bankTransfers.statements.known' : 'bankTransfers.statements.done', {
          lines: statements.reduce((sum, { lines }) => sum + lines, 0),
        }),
      })}
      onDone={refresh}
    >
      <input
        type="file"
        required
        accept=".xml,.sta,.mt940,.txt,.csv"
        aria-label={translate('bankTransfers.statements.file')}
        onChange={({ target }) => setFile(target.files?.[0])}
      />
      <Input
        label={translate('bankTransfers.statements.account')}
        helperText={translate('bankTransfers.statements.accountHelp')}
        value={accountId}
        onChange={setAccountId}
      />
    </Act>
  );
}
