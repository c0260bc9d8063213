import { Link as PlainLink } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ENDPOINT_TONES, type Endpoint } from './endpoint';
import { ChangeEndpoint, PingEndpoint, RemoveEndpoint, RotateSecret, SwitchEndpoint } from './endpoint-acts';
import { Events } from './endpoint-list';
import { FreshSecret } from './fresh-secret';

export default function EndpointPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const [secret, setSecret] = useState<string>();
  return (
    <RecordPage<Endpoint>
      titleOf={({ url }) => url}
      markOf={({ status }) => <Status value={status} tone={ENDPOINT_TONES[status]} />}
      actsOf={(endpoint) =>
        person?.role !== 'ops' && (
          <>
            <PingEndpoint endpoint={endpoint} />
            <ChangeEndpoint endpoint={endpoint} />
            <RotateSecret endpoint={endpoint} onSecret={setSecret} />
            <SwitchEndpoint endpoint={endpoint} />
            <RemoveEndpoint endpoint={endpoint} />
          </>
        )
      }
    >
      {({ endpointId, events, description, createdAt, updatedAt }) => (
        <>
          {secret && <FreshSecret secret={secret} />}
          <Section title={translate('endpoints.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={endpointId} />
              </Fact>
              <Fact name={translate('endpoints.events')}>
                <Events events={events} />
              </Fact>
              <Fact name={translate('endpoints.description')}>{description}</Fact>
              <Fact name={translate('endpoints.created')}>
                <Instant at={createdAt} />
              </Fact>
              <Fact name={translate('endpoints.updated')}>
                <Instant at={updatedAt} />
              </Fact>
            </Facts>
            <PlainLink
              component={Link}
              to={`/notifications?filter=${encodeURIComponent(JSON.stringify({ endpointId }))}`}
              variant="body2"
            >
              {translate('endpoints.sent')}
            </PlainLink>
          </Section>
        </>
      )}
    </RecordPage>
  );
}
