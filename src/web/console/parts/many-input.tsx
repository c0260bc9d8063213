import { Autocomplete, TextField } from '@mui/material';

interface ManyInputProps<T extends string> {
  label: string;
  helperText?: string;
  /** In the order in which they were chosen. */
  values: readonly T[];
  choices: readonly T[];
  disabled?: boolean;
  nameOf(value: T): string;
  onChange(values: T[]): void;
}

/** Several of many: found by typing, kept in the order of choosing. */
export function ManyInput<T extends string>(props: ManyInputProps<T>) {
  const { label, helperText, values, choices, disabled, nameOf, onChange } = props;
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      filterSelectedOptions
      options={choices}
      disabled={disabled}
      value={[...values]}
      getOptionLabel={nameOf}
      onChange={(_event, chosen) => onChange(chosen)}
      renderInput={(params) => <TextField {...params} label={label} helperText={helperText} margin="dense" />}
    />
  );
}
