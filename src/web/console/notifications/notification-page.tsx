import { Box, Link as PlainLink, Typography } from '@mui/material';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { type Notification, STATE_TONES } from './notification';

export default function NotificationPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Notification>
      titleOf={({ type }) => type}
      markOf={({ state }) => <Status value={state} tone={STATE_TONES[state]} />}
      actsOf={(notification) => person?.role !== 'ops' && <Resend notification={notification} />}
    >
      {(notification) => (
        <>
          <Section title={translate('notifications.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={notification.notificationId} />
              </Fact>
              <Fact name={translate('notifications.url')}>{notification.url}</Fact>
              <Fact name={translate('notifications.payment')}>
                {notification.paymentId && (
                  <PlainLink component={Link} to={`/payments/${notification.paymentId}/show`}>
                    {notification.paymentId}
                  </PlainLink>
                )}
              </Fact>
              <Fact name={translate('notifications.subject')}>{notification.subjectId}</Fact>
              <Fact name={translate('notifications.created')}>
                <Instant at={notification.createdAt} />
              </Fact>
              <Fact name={translate('notifications.next')}>
                {notification.nextAttemptAt && <Instant at={notification.nextAttemptAt} />}
              </Fact>
            </Facts>
          </Section>
          <Section title={translate('notifications.attempts')}>
            {notification.attempts.length === 0 && (
              <Typography variant="body2">{translate('notifications.noAttempts')}</Typography>
            )}
            <Timeline
              steps={notification.attempts.map(({ at, status, error, durationMs }) => ({
                at,
                what: status ? `HTTP ${status}` : error,
                detail: translate('notifications.took', { ms: durationMs }),
              }))}
            />
          </Section>
          <Section title={translate('notifications.body')}>
            <Box
              component="pre"
              // Scrolled by the keyboard too.
              tabIndex={0}
              sx={{ m: 0, overflow: 'auto', maxHeight: 400, fontSize: '0.8rem' }}
            >
              {JSON.stringify(notification.body, null, 2)}
            </Box>
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function Resend({ notification: { notificationId, url } }: { notification: Notification }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  return (
    <Act<Notification>
      id={`resend/${notificationId}`}
      label={translate('notifications.resend.act')}
      question={translate('notifications.resend.question', { url })}
      send={({ idempotencyKey }) =>
        api.post('/ipg/1.0.0/payment/notifications/{notificationId}/resend', {
          path: { notificationId },
          idempotencyKey,
        }) as Promise<Notification>
      }
      outcomeOf={({ state }) => ({
        state: state === 'pending' ? 'pending' : state === 'delivered' ? 'done' : 'refused',
      })}
      poll={(signal) =>
        api.get('/ipg/1.0.0/payment/notifications/{notificationId}', {
          path: { notificationId },
          signal,
        }) as Promise<Notification>
      }
      onDone={() => refresh()}
    />
  );
}
