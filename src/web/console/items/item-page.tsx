import EditIcon from '@mui/icons-material/EditOutlined';
import { Alert, Box, Button } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Act } from '../parts/act';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ITEM_TONES, type Item, pictureOf } from './item';

export default function ItemPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Item>
      titleOf={({ name }) => name}
      markOf={({ status }) => <Status value={status} tone={ITEM_TONES[status]} />}
      actsOf={(item) => (
        <>
          {person?.role === 'merchant' && <Adjust item={item} />}
          {person?.role === 'merchant' && (
            <Button
              size="small"
              variant="outlined"
              component={Link}
              to={`/items/${item.itemId}`}
              startIcon={<EditIcon />}
            >
              {translate('items.edit')}
            </Button>
          )}
          {person?.role === 'tenant_admin' && item.status === 'pending_approval' && <Decide item={item} />}
        </>
      )}
    >
      {(item) => (
        <>
          {item.reason && <Alert severity="error">{translate('items.rejectedFor', { reason: item.reason })}</Alert>}
          <Section title={translate('items.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={item.itemId} />
              </Fact>
              <Fact name={translate('items.sku')}>{item.sku}</Fact>
              <Fact name={translate('items.price')}>
                <Amount amount={item.price} currency={item.currency} />
              </Fact>
              <Fact name={translate('items.description')}>{item.description}</Fact>
              <Fact name={translate('items.quantity')}>{String(item.quantity)}</Fact>
              <Fact name={translate('items.reserved')}>{String(item.reserved)}</Fact>
              <Fact name={translate('items.available')}>{String(item.available)}</Fact>
              <Fact name={translate('items.updated')}>
                <Instant at={item.updatedAt} />
              </Fact>
            </Facts>
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
              {item.images.map((imageId, index) => (
                <Box
                  key={imageId}
                  component="img"
                  src={pictureOf(item.itemId, imageId)}
                  alt={translate('items.picture', { number: index + 1 })}
                  sx={{
                    width: 128,
                    height: 128,
                    objectFit: 'cover',
                    borderRadius: 1,
                    border: 1,
                    borderColor: 'divider',
                  }}
                />
              ))}
            </Box>
          </Section>
          <SubList
            title={translate('items.movements')}
            path="/inventory/1.0.0/items/{itemId}/movements"
            params={{ itemId: item.itemId }}
            name={`movements-${item.itemId}`}
            keyOf={({ movementId }) => movementId}
            columns={[
              { label: 'items.when', of: ({ createdAt }) => <Instant at={createdAt} /> },
              { label: 'items.kind', of: ({ kind }) => translate(`items.kinds.${kind}`) },
              { label: 'items.pieces', of: ({ quantity }) => quantity, end: true },
              {
                label: 'items.order',
                of: ({ orderId }) => orderId && <TextLink to={`/orders/${orderId}/show`}>{orderId}</TextLink>,
              },
              { label: 'console.act.reason', of: ({ reason }) => reason },
            ]}
          />
        </>
      )}
    </RecordPage>
  );
}

function Adjust({ item: { itemId, name, quantity } }: { item: Item }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [delta, setDelta] = useState('');
  const [reason, setReason] = useState('');
  return (
    <Act
      id={`adjust/${itemId}`}
      label={translate('items.adjust.act')}
      question={translate('items.adjust.question', { name, quantity })}
      values={{ delta, reason }}
      send={({ idempotencyKey }) =>
        api.post('/inventory/1.0.0/items/{itemId}/adjust', {
          path: { itemId },
          body: { delta: Number(delta), reason },
          idempotencyKey,
        })
      }
      outcomeOf={(item) => ({ state: 'done', text: translate('items.adjust.done', { quantity: item.quantity }) })}
      onDone={refresh}
    >
      <Input
        label={translate('items.adjust.delta')}
        value={delta}
        onChange={setDelta}
        type="number"
        required
        autoFocus
      />
      <Input
        label={translate('console.act.reason')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        required
      />
    </Act>
  );
}

function Decide({ item: { itemId, name, version } }: { item: Item }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [reason, setReason] = useState('');
  return (
    <>
      <Act
        id={`approve/${itemId}`}
        label={translate('items.approve.act')}
        question={translate('items.approve.question', { name })}
        variant="contained"
        values={version}
        send={({ idempotencyKey }) =>
          api.post('/inventory/1.0.0/items/{itemId}/approve', { path: { itemId }, body: { version }, idempotencyKey })
        }
        onDone={refresh}
      />
      <Act
        id={`reject/${itemId}`}
        label={translate('items.reject.act')}
        question={translate('items.reject.question', { name })}
        color="error"
        values={{ version, reason }}
        send={({ idempotencyKey }) =>
          api.post('/inventory/1.0.0/items/{itemId}/reject', {
            path: { itemId },
            body: { version, reason },
            idempotencyKey,
          })
        }
        onDone={refresh}
      >
        <Input label={translate('console.act.reason')} value={reason} onChange={setReason} required autoFocus />
      </Act>
    </>
  );
}
