import { Alert, Box, Button, Table, TableBody, TableCell, TableFooter, TableHead, TableRow } from '@mui/material';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ORDER_TONES, type Order } from './order';

export default function OrderPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Order>
      titleOf={({ reference, orderId }) => reference ?? orderId}
      markOf={({ status }) => <Status value={status} tone={ORDER_TONES[status]} />}
      actsOf={(order) =>
        person?.role === 'merchant' &&
        order.status === 'open' && (
          <>
            {!order.linkId && (
              <Button
                size="small"
                variant="contained"
                component={Link}
                to={`/links/create?orderId=${encodeURIComponent(order.orderId)}`}
              >
                {translate('orders.makeLink')}
              </Button>
            )}
            <Cancel order={order} />
          </>
        )
      }
    >
      {(order) => (
        <>
          {order.review && (
            <Alert severity="warning" sx={{ mb: 2 }}>
              {order.review.reason}
            </Alert>
          )}
          <Section title={translate('orders.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={order.orderId} />
              </Fact>
              <Fact name={translate('orders.reference')}>{order.reference}</Fact>
              <Fact name={translate('orders.reservedUntil')}>
                {order.status === 'open' && order.reservedUntil && <Instant at={order.reservedUntil} />}
              </Fact>
              <Fact name={translate('orders.link')}>
                {order.linkId && <TextLink to={`/links/${order.linkId}/show`}>{order.linkId}</TextLink>}
              </Fact>
              <Fact name={translate('orders.payment')}>
                {order.paymentId && <TextLink to={`/payments/${order.paymentId}/show`}>{order.paymentId}</TextLink>}
              </Fact>
              <Fact name={translate('orders.created')}>
                <Instant at={order.createdAt} />
              </Fact>
              <Fact name={translate('orders.closed')}>{order.closedAt && <Instant at={order.closedAt} />}</Fact>
            </Facts>
          </Section>
          <Lines order={order} />
        </>
      )}
    </RecordPage>
  );
}

function Lines({ order: { lines, currency, total } }: { order: Order }) {
  const translate = useTranslate();
  const title = translate('orders.lines');
  return (
    <Section title={title}>
      <Box component="section" aria-label={translate('orders.content')} tabIndex={0} sx={{ overflowX: 'auto' }}>
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>{translate('orders.what')}</TableCell>
              <TableCell align="right">{translate('orders.quantity')}</TableCell>
              <TableCell align="right">{translate('orders.amount')}</TableCell>
              <TableCell align="right">{translate('orders.total')}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an order never change
              <TableRow key={index}>
                <TableCell>
                  {line.itemId ? (
                    <TextLink to={`/items/${line.itemId}/show`}>{line.description}</TextLink>
                  ) : (
                    line.description
                  )}
                </TableCell>
                <TableCell align="right">{line.quantity}</TableCell>
                <TableCell align="right">
                  <Amount amount={line.amount} currency={currency} />
                </TableCell>
                <TableCell align="right">
                  <Amount amount={line.total} currency={currency} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
          <TableFooter>
            <TableRow>
              <TableCell colSpan={3}>{translate('orders.total')}</TableCell>
              <TableCell align="right">
                <strong>
                  <Amount amount={total} currency={currency} />
                </strong>
              </TableCell>
            </TableRow>
          </TableFooter>
        </Table>
      </Box>
    </Section>
  );
}

function Cancel({ order: { orderId, total, currency } }: { order: Order }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  return (
    <Act
      id={`cancel/${orderId}`}
      label={translate('orders.cancel.act')}
      question={translate('orders.cancel.question', { amount: say(total, currency) })}
      color="error"
      send={({ idempotencyKey }) =>
        api.post('/orders/1.0.0/orders/{orderId}/cancel', { path: { orderId }, idempotencyKey })
      }
      onDone={refresh}
    />
  );
}
