import { Box, Button, Card, Checkbox, FormControlLabel, Typography } from '@mui/material';
import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { FormPage } from '../parts/form-page';
import { Heading } from '../parts/heading';
import { Input } from '../parts/input';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import { ACTIVATIONS, type Activation } from './activation';

interface DocumentText {
  name: string;
  purpose: string;
  reference: string;
}

const NOTHING = { website: '', sells: '', callbackUrl: '', country: '', currencies: '', termsAccepted: false };
type Texts = Omit<typeof NOTHING, 'termsAccepted'>;

/** An application to go live. The files of its documents are uploaded on the page that comes next. */
export default function ApplyPage() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const { organizationId } = useScope();
  const [values, setValues] = useState(NOTHING);
  const [documents, setDocuments] = useState<DocumentText[]>([{ name: '', purpose: '', reference: '' }]);
  const title = translate('activations.apply.act');
  if (!organizationId)
    return (
      <>
        <Heading title={title} />
        <Card sx={{ p: 3 }}>
          <Typography>{translate('console.scope.chooseOrganization')}</Typography>
        </Card>
      </>
    );
  const input = (name: keyof Texts) => ({
    label: translate(`activations.apply.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
  });
  const documentInput = (at: number, name: keyof DocumentText) => ({
    label: translate(`activations.apply.document.${name}`, { number: at + 1 }),
    value: documents[at]![name],
    onChange: (value: string) =>
      setDocuments((now) => now.map((one, index) => (index === at ? { ...one, [name]: value } : one))),
  });
  return (
    <FormPage<Activation>
      title={title}
      id={`create/activation/${organizationId}`}
      label={title}
      intro={translate('activations.apply.intro')}
      values={{ values, documents }}
      send={({ idempotencyKey }) =>
        api.post(ACTIVATIONS, { body: bodyOf(organizationId, values, documents), idempotencyKey })
      }
      onDone={({ activationId }) => redirect(`/activations/${activationId}/show`)}
    >
      <Input {...input('website')} type="url" required />
      <Input {...input('sells')} required multiline />
      <Input {...input('callbackUrl')} type="url" helperText={translate('activations.apply.callbackUrlHelp')} />
      <Input {...input('country')} slotProps={{ htmlInput: { maxLength: 2 } }} />
      <Input {...input('currencies')} helperText={translate('activations.apply.currenciesHelp')} />
      <Typography component="h2" variant="subtitle1" sx={{ mt: 2 }}>
        {translate('activations.documents')}
      </Typography>
      {documents.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document has no name of its own before it is written
        <Box key={at} sx={{ mb: 1 }}>
          <Input {...documentInput(at, 'name')} required />
          <Input {...documentInput(at, 'purpose')} required />
          <Input
            {...documentInput(at, 'reference')}
            helperText={translate('activations.apply.document.referenceHelp')}
          />
          <Button
            size="small"
            color="error"
            onClick={() => setDocuments(documents.filter((_one, index) => index !== at))}
          >
            {translate('activations.apply.document.remove', { number: at + 1 })}
          </Button>
        </Box>
      ))}
      <Button size="small" onClick={() => setDocuments([...documents, { name: '', purpose: '', reference: '' }])}>
        {translate('activations.apply.document.add')}
      </Button>
      <Box sx={{ mt: 1 }}>
        <FormControlLabel
          label={translate('activations.apply.termsAccepted')}
          control={
            <Checkbox
              required
              checked={values.termsAccepted}
              onChange={(_, termsAccepted) => setValues((now) => ({ ...now, termsAccepted }))}
            />
          }
        />
      </Box>
    </FormPage>
  );
}

function bodyOf(organizationId: string, values: typeof NOTHING, documents: readonly DocumentText[]) {
  const { website, sells, termsAccepted, callbackUrl, country, currencies } = values;
  const codes = currencies.toUpperCase().match(/[A-Z]+/g);
  return {
    organizationId,
    checklist: { website, sells, termsAccepted },
    ...(documents.length > 0 && {
      documents: documents.map(({ reference, ...rest }) => ({ ...rest, ...(reference && { reference }) })),
    }),
    ...(callbackUrl && { callbackUrl }),
    ...(country && { country: country.toUpperCase() }),
    ...(codes && { currencies: codes }),
  };
}
