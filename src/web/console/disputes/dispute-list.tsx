import { SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { type Dispute, STATUS_TONES } from './dispute';

const COLUMNS: Column<Dispute>[] = [
  { label: 'disputes.case', of: ({ caseId }) => caseId },
  { label: 'disputes.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  { label: 'disputes.status', of: ({ status }) => <Status value={status} tone={STATUS_TONES[status]} /> },
  { label: 'disputes.due', of: ({ evidenceDueAt }) => <Instant at={evidenceDueAt} /> },
  { label: 'disputes.opened', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function DisputeList() {
  const statuses = Object.keys(STATUS_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Dispute>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="disputes.status" choices={statuses} alwaysOn />,
        <TextInput key="paymentId" source="paymentId" label="disputes.payment" />,
      ]}
    />
  );
}
