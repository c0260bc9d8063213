import { Typography } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Fact, Facts, Section } from '../parts/facts';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { useDone } from './rule-act';

const SHARING = '/customer/1.0.0/sharing';

/** Whether the tenant's organizations may charge each other's customers. Its admins set it. */
export function CustomerSharing() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const { data, error } = useReading(['customer-sharing'], (signal) => api.get(SHARING, { signal }));
  return (
    <Section
      title={translate('customerSharing.title')}
      acts={data && person?.role === 'tenant_admin' && <Change shared={data.shared} />}
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {translate('customerSharing.intro')}
      </Typography>
      <Problem error={error} />
      {data && (
        <Facts>
          <Fact name={translate('customerSharing.mayCharge')}>{translate(`customerSharing.is.${data.shared}`)}</Fact>
        </Facts>
      )}
    </Section>
  );
}

function Change({ shared }: { shared: boolean }) {
  const translate = useTranslate();
  const done = useDone();
  const act = shared ? 'keepApart' : 'share';
  return (
    <Act
      key={act}
      id={`customer-sharing/${act}`}
      label={translate(`customerSharing.${act}.act`)}
      question={translate(`customerSharing.${act}.question`)}
      send={() => api.put(SHARING, { body: { shared: !shared } })}
      onDone={done}
    />
  );
}
