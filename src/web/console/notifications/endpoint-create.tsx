import { Button, Card, CardContent, Typography } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { FormPage } from '../parts/form-page';
import { Heading } from '../parts/heading';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import { ENDPOINTS, type EndpointText, type NewEndpoint } from './endpoint';
import { EndpointInputs } from './endpoint-inputs';
import { FreshSecret } from './fresh-secret';

/** A new endpoint. Its secret is shown here, once. */
export default function EndpointCreate() {
  const translate = useTranslate();
  const { organizationId } = useScope();
  const [values, setValues] = useState<EndpointText>({ url: '', events: [], description: '' });
  const [made, setMade] = useState<NewEndpoint>();
  const title = translate('endpoints.create');
  if (!organizationId || made)
    return (
      <>
        <Heading title={title} />
        <Card sx={{ maxWidth: 720 }}>
          <CardContent>
            {made ? (
              <>
                <Typography>{translate('endpoints.made', { url: made.url })}</Typography>
                <FreshSecret secret={made.secret} />
                <Button component={Link} to={`/endpoints/${made.endpointId}/show`} variant="contained" sx={{ mt: 2 }}>
                  {translate('endpoints.open')}
                </Button>
              </>
            ) : (
              <Typography>{translate('console.scope.chooseOrganization')}</Typography>
            )}
          </CardContent>
        </Card>
      </>
    );
  return (
    <FormPage<NewEndpoint>
      title={title}
      id={`create/endpoint/${organizationId}`}
      label={title}
      intro={translate('endpoints.intro')}
      values={values}
      send={({ idempotencyKey }) => api.post(ENDPOINTS, { body: values, idempotencyKey })}
      onDone={setMade}
    >
      <EndpointInputs values={values} onChange={setValues} />
    </FormPage>
  );
}
