import { Box, Button } from '@mui/material';
import type { ChangeEvent } from 'react';

export interface FileInputProps {
  label: string;
  /** Types of contents, as the browser's own dialog wants them. */
  accept: string;
  multiple?: boolean;
  onChange(files: File[]): void;
}

/** Chooses files. The input itself has the focus and the name; what looks like a button is its label. */
export function FileInput({ label, accept, multiple, onChange }: FileInputProps) {
  return (
    // biome-ignore lint/a11y/useValidAriaRole: MUI gives a label the role of a button unless it is told of none
    <Button
      component="label"
      variant="outlined"
      role={undefined}
      tabIndex={-1}
      sx={{ mt: 1, '&:focus-within': { outline: 2 } }}
    >
      {label}
      <Box
        component="input"
        type="file"
        accept={accept}
        multiple={multiple}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => onChange([...(target.files ?? [])])}
        sx={{ position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', opacity: 0 }}
      />
    </Button>
  );
}
