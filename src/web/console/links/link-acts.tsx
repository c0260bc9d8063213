import { Box } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Section } from '../parts/facts';
import { ChoiceInput, Input, instantOf, localOf } from '../parts/input';
import { api, type RecordOf } from '../server/api';
import type { Person } from '../session/session';
import { useAsks } from './asks';
import type { WholeLink } from './link';

type ShareRecord = RecordOf<'/payment-links/1.0.0/links/{linkId}/shares'>;
const CHANNELS = ['email', 'sms', 'external'] as const;

/** What may be done with a link as it stands. */
export function LinkActs({ link }: { link: WholeLink }) {
  const { permissions: person } = usePermissions<Person>();
  return (
    <>
      {link.status === 'active' && <Toggle link={link} what="disable" />}
      {link.status === 'disabled' && <Toggle link={link} what="enable" />}
      {person?.role === 'merchant' && ['active', 'disabled', 'pending_approval'].includes(link.status) && (
        <Expiry link={link} />
      )}
      {person?.role === 'tenant_admin' && link.status === 'pending_approval' && (
        <>
          <Decide link={link} what="approve" />
          <Decide link={link} what="reject" />
        </>
      )}
    </>
  );
}

function Toggle({ link: { linkId, title }, what }: { link: WholeLink; what: 'disable' | 'enable' }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  return (
    <Act
      id={`${what}/${linkId}`}
      label={translate(`links.${what}.act`)}
      question={translate(`links.${what}.question`, { title })}
      send={({ idempotencyKey }) =>
        api.post(`/payment-links/1.0.0/links/{linkId}/${what}`, { path: { linkId }, idempotencyKey })
      }
      onDone={refresh}
    />
  );
}

function Expiry({ link: { linkId, title, expiresAt } }: { link: WholeLink }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [until, setUntil] = useState(localOf(expiresAt));
  return (
    <Act
      id={`expiry/${linkId}`}
      label={translate('links.expiry.act')}
      question={translate('links.expiry.question', { title })}
      values={until}
      send={({ idempotencyKey }) =>
        api.post('/payment-links/1.0.0/links/{linkId}/expiry', {
          path: { linkId },
          body: { expiresAt: instantOf(until)! },
          idempotencyKey,
        })
      }
      onDone={refresh}
    >
      <Input label={translate('links.expires')} value={until} onChange={setUntil} type="datetime-local" required />
    </Act>
  );
}

function Decide({ link, what }: { link: WholeLink; what: 'approve' | 'reject' }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const asks = useAsks();
  const [reason, setReason] = useState('');
  const { linkId, title } = link;
  return (
    <Act
      id={`${what}/${linkId}`}
      label={translate(`links.${what}.act`)}
      question={translate(`links.${what}.question`, { title, asks: asks(link) })}
      color={what === 'reject' ? 'error' : 'primary'}
      variant={what === 'approve' ? 'contained' : 'outlined'}
      values={reason}
      send={({ idempotencyKey }) =>
        what === 'approve'
          ? api.post('/payment-links/1.0.0/links/{linkId}/approve', {
              path: { linkId },
              ...(reason && { body: { reason } }),
              idempotencyKey,
            })
          : api.post('/payment-links/1.0.0/links/{linkId}/reject', {
              path: { linkId },
              body: { reason },
              idempotencyKey,
            })
      }
      onDone={refresh}
    >
      <Input
        label={translate('console.act.reason')}
        value={reason}
        onChange={setReason}
        required={what === 'reject'}
        autoFocus
      />
    </Act>
  );
}

/** Sends the link to somebody, or records that it was sent another way. */
export function Share({ link: { linkId, title } }: { link: WholeLink }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]>('email');
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  if (person?.role !== 'merchant') return null;
  return (
    <Section title={translate('links.share.title')}>
      <Box sx={{ maxWidth: 480 }}>
        <ChoiceInput
          label={translate('links.share.channel')}
          value={channel}
          onChange={(value) => setChannel(value as typeof channel)}
          choices={CHANNELS.map((id) => ({ id, name: translate(`links.channels.${id}`) }))}
        />
        <Input label={translate(`links.recipients.${channel}`)} value={to} onChange={setTo} />
        {channel !== 'external' && <Input label={translate('links.share.note')} value={note} onChange={setNote} />}
        <Act
          id={`share/${linkId}`}
          label={translate('links.share.act')}
          question={translate(`links.share.question.${channel}`, { title, to })}
          variant="contained"
          disabled={to === ''}
          values={{ channel, to, note }}
          send={({ idempotencyKey }) =>
            api.post('/payment-links/1.0.0/links/{linkId}/share', {
              path: { linkId },
              body: { channel, to, ...(note && channel !== 'external' && { note }) },
              idempotencyKey,
            })
          }
          onDone={() => {
            setTo('');
            refresh();
          }}
        />
      </Box>
    </Section>
  );
}

/** To the same person once more. */
export function ShareAgain({ link: { linkId, title, status }, share }: { link: WholeLink; share: ShareRecord }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const { shareId, recipient, channel } = share;
  if (person?.role !== 'merchant' || channel === 'external' || status !== 'active') return null;
  return (
    <Act
      id={`share-again/${shareId}`}
      label={translate('links.share.again')}
      question={translate(`links.share.question.${channel}`, { title, to: recipient })}
      send={({ idempotencyKey }) =>
        api.post('/payment-links/1.0.0/links/{linkId}/shares/{shareId}/resend', {
          path: { linkId, shareId },
          idempotencyKey,
        })
      }
      onDone={refresh}
    />
  );
}
