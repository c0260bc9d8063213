import { Alert, Box, Button, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useNotify, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { Problem, problemText } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import { saveFile } from '../server/export';
import { currentScope } from '../session/scope';
import { Asks } from './asks';
import { LINK_TONES, qrOf, type WholeLink } from './link';
import { LinkActs, Share, ShareAgain } from './link-acts';

export default function LinkPage() {
  const translate = useTranslate();
  return (
    <RecordPage<WholeLink>
      titleOf={({ title }) => title}
      markOf={({ status }) => <Status value={status} tone={LINK_TONES[status]} />}
      actsOf={(link) => <LinkActs link={link} />}
    >
      {(link) => (
        <>
          {link.status !== 'active' && (
            <Alert severity={link.status === 'rejected' ? 'error' : 'info'} sx={{ mb: 2 }}>
              {link.statusDetail}
            </Alert>
          )}
          <Section title={translate('links.facts')}>
            <Facts>
              <Fact name={translate('links.url')}>
                <Copyable text={link.url} />
              </Fact>
              <Fact name={translate('links.asks')}>
                <Asks link={link} />
              </Fact>
              <Fact name={translate('links.orderId')}>
                {link.orderId && <TextLink to={`/orders/${link.orderId}/show`}>{link.orderId}</TextLink>}
              </Fact>
              <Fact name={translate('links.description')}>{link.description}</Fact>
              <Fact name={translate('links.reference')}>{link.reference}</Fact>
              <Fact name={translate('links.maxPayments')}>{link.maxPayments && String(link.maxPayments)}</Fact>
              <Fact name={translate('links.kinds')}>
                {link.kinds?.map((kind) => translate(`links.kind.${kind}`)).join(', ')}
              </Fact>
              <Fact name={translate('links.expires')}>
                <Instant at={link.expiresAt} />
              </Fact>
              <Fact name={translate('links.created')}>
                <Instant at={link.createdAt} />
              </Fact>
              <Fact name={translate('console.record.id')}>
                <Copyable text={link.linkId} />
              </Fact>
            </Facts>
          </Section>
          <Decisions link={link} />
          <QrCode link={link} />
          <Statistics linkId={link.linkId} />
          <SubList
            title={translate('links.shares')}
            path="/payment-links/1.0.0/links/{linkId}/shares"
            params={{ linkId: link.linkId }}
            name={`shares-${link.linkId}`}
            keyOf={({ shareId }) => shareId}
            columns={[
              { label: 'links.share.at', of: ({ createdAt }) => <Instant at={createdAt} /> },
              { label: 'links.share.channel', of: ({ channel }) => translate(`links.channels.${channel}`) },
              { label: 'links.share.to', of: ({ recipient }) => recipient },
              { label: 'links.share.delivery', of: ({ delivery }) => translate(`links.deliveries.${delivery}`) },
              { label: 'links.share.again', of: (share) => <ShareAgain link={link} share={share} /> },
            ]}
          />
          {link.status === 'active' && <Share link={link} />}
        </>
      )}
    </RecordPage>
  );
}

function Decisions({ link: { approval } }: { link: WholeLink }) {
  const translate = useTranslate();
  if (approval.needed === 0) return null;
  return (
    <Section title={translate('links.approval')}>
      <Typography>
        {translate('links.approvals', { done: approval.decisions.length, needed: approval.needed })}
      </Typography>
      <Facts>
        {approval.decisions.map(({ by, decision, reason, at }) => (
          <Fact key={by} name={(<Instant at={at} />) as never}>
            {translate(`links.decisions.${decision}`, { by })} {reason}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

function QrCode({ link: { linkId, title } }: { link: WholeLink }) {
  const translate = useTranslate();
  const notify = useNotify();
  const save = (form: 'svg' | 'png') =>
    saveFile(`${qrOf(linkId)}?form=${form}&size=1000`, {}, '*/*', `${linkId}.${form}`).catch((error) =>
      notify(problemText(error, translate), { type: 'error' }),
    );
  return (
    <Section title={translate('links.qr')}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center' }}>
        <Box
          component="img"
          src={qrOf(linkId)}
          alt={translate('links.qrOf', { title })}
          sx={{ width: 180, height: 180, bgcolor: '#fff', borderRadius: 1 }}
        />
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
          <Button size="small" variant="outlined" onClick={() => save('png')}>
            {translate('links.savePng')}
          </Button>
          <Button size="small" variant="outlined" onClick={() => save('svg')}>
            {translate('links.saveSvg')}
          </Button>
          <Button size="small" variant="outlined" component={Link} to={`/links/${linkId}/poster`} target="_blank">
            {translate('links.print')}
          </Button>
        </Box>
      </Box>
    </Section>
  );
}

function Statistics({ linkId }: { linkId: string }) {
  const translate = useTranslate();
  const { data, error } = useQuery({
    queryKey: ['link-statistics', linkId, currentScope()],
    queryFn: ({ signal }) => api.get('/payment-links/1.0.0/links/{linkId}/statistics', { path: { linkId }, signal }),
  });
  return (
    <Section
      title={translate('links.statistics')}
      acts={
        <TextLink to={`/payments?filter=${encodeURIComponent(JSON.stringify({ linkId }))}`}>
          {translate('links.payments')}
        </TextLink>
      }
    >
      <Problem error={error} />
      {data && (
        <Facts>
          <Fact name={translate('links.opened')}>{String(data.opened)}</Fact>
          <Fact name={translate('links.tried')}>{String(data.tried)}</Fact>
          <Fact name={translate('links.paid')}>{String(data.paid)}</Fact>
          <Fact name={translate('links.captured')}>
            <Amount amount={data.amount} currency={data.currency} />
          </Fact>
        </Facts>
      )}
    </Section>
  );
}
