import { MenuItem, TextField, type TextFieldProps } from '@mui/material';

type Given = Omit<TextFieldProps, 'onChange' | 'value' | 'label'>;

export interface InputProps extends Given {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** One line of a form. Amounts are text: they go to the API as they are written. */
export function Input({ onChange, slotProps, ...rest }: InputProps) {
  return (
    <TextField
      fullWidth
      margin="dense"
      {...rest}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{
        ...slotProps,
        // A day and a time show their form also while they are empty.
        inputLabel: rest.type?.startsWith('date') ? { shrink: true } : undefined,
      }}
    />
  );
}

/** An amount: the keyboard of a telephone shows digits. */
export function AmountInput(props: InputProps) {
  return <Input {...props} slotProps={{ htmlInput: { inputMode: 'decimal', autoComplete: 'off' } }} />;
}

/** One of a few. */
export function ChoiceInput({ choices, ...rest }: InputProps & { choices: readonly { id: string; name: string }[] }) {
  return (
    <Input
      {...rest}
      select
      // The closed box is a combobox: it needs the name too.
      slotProps={{ htmlInput: { 'aria-label': rest.label } }}
    >
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </Input>
  );
}

/** What somebody wrote in an input of type `datetime-local`, as the API wants it. Undefined for nothing. */
export function instantOf(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}

/** The other way round: a moment for such an input, in the reader's time zone. */
export function localOf(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
