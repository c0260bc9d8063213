import { Box, Typography } from '@mui/material';
import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import { type Conversation, TICKET_TONES } from './ticket';

export default function TicketPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Conversation>
      titleOf={() => translate('tickets.title')}
      markOf={({ status }) => <Status value={`ticket_${status}`} tone={TICKET_TONES[status]} />}
      actsOf={(ticket) => ticket.status !== 'closed' && <Acts ticket={ticket} />}
    >
      {({ messages, linkId }) => (
        <Section
          title={translate('tickets.conversation')}
          acts={<TextLink to={`/links/${linkId}/show`}>{translate('tickets.openLink')}</TextLink>}
        >
          <Box component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
            {messages.map(({ from, text, at }) => (
              <Box
                component="li"
                key={`${at}/${from}`}
                sx={{
                  border: 1,
                  borderColor: 'divider',
                  borderRadius: 2,
                  p: 1.5,
                  mb: 1,
                  maxWidth: 640,
                  ml: from === 'seller' ? 'auto' : 0,
                  bgcolor: from === 'seller' ? 'action.hover' : undefined,
                }}
              >
                <Typography variant="caption" color="text.secondary">
                  {translate(`tickets.from.${from}`)} · <Instant at={at} />
                </Typography>
                <Typography sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Typography>
              </Box>
            ))}
          </Box>
        </Section>
      )}
    </RecordPage>
  );
}

function Acts({ ticket: { ticketId } }: { ticket: Conversation }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [text, setText] = useState('');
  return (
    <>
      <Act
        id={`answer/${ticketId}`}
        label={translate('tickets.answer.act')}
        question={translate('tickets.answer.question')}
        variant="contained"
        values={text}
        send={({ idempotencyKey }) =>
          api.post('/payment-links/1.0.0/tickets/{ticketId}/answer', {
            path: { ticketId },
            body: { text },
            idempotencyKey,
          })
        }
        onDone={() => {
          setText('');
          refresh();
        }}
      >
        <Input
          label={translate('tickets.answer.text')}
          value={text}
          onChange={setText}
          multiline
          minRows={4}
          required
          autoFocus
        />
      </Act>
      <Act
        id={`close/${ticketId}`}
        label={translate('tickets.close.act')}
        question={translate('tickets.close.question')}
        send={({ idempotencyKey }) =>
          api.post('/payment-links/1.0.0/tickets/{ticketId}/close', { path: { ticketId }, idempotencyKey })
        }
        onDone={refresh}
      />
    </>
  );
}
