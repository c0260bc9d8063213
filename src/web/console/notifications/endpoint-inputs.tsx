import { Autocomplete, TextField } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Input } from '../parts/input';
import { type EndpointText, EVENTS } from './endpoint';

export interface EndpointInputsProps {
  values: EndpointText;
  onChange(values: EndpointText): void;
}

/** The address of a server, and what it hears of. */
export function EndpointInputs({ values, onChange }: EndpointInputsProps) {
  const translate = useTranslate();
  return (
    <>
      <Input
        label={translate('endpoints.url')}
        value={values.url}
        onChange={(url) => onChange({ ...values, url: url.trim() })}
        type="url"
        required
      />
      <Autocomplete
        multiple
        disableCloseOnSelect
        options={EVENTS}
        groupBy={(event) => event.split('.')[0]!}
        value={values.events}
        onChange={(_, events) => onChange({ ...values, events })}
        renderInput={(given) => (
          <TextField
            {...given}
            label={translate('endpoints.events')}
            helperText={translate('endpoints.eventsHelp')}
            margin="dense"
          />
        )}
      />
      <Input
        label={translate('endpoints.description')}
        value={values.description}
        onChange={(description) => onChange({ ...values, description })}
        slotProps={{ htmlInput: { maxLength: 200 } }}
      />
    </>
  );
}
