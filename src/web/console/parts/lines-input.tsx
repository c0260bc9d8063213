import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import { Autocomplete, Box, Button, IconButton, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { api } from '../server/api';
import { currentScope } from '../session/scope';
import { useAmountText } from './amount';
import { AmountInput, Input } from './input';

/** A line of an order that is being written: an item, or something else with its price. */
export interface Line {
  key: string;
  itemId?: string;
  description: string;
  amount: string;
  quantity: string;
}

/** A line as the API takes it. */
export type SentLine = { itemId: string; quantity: number } | { description: string; amount: string; quantity: number };

export const emptyLine = (): Line => ({ key: crypto.randomUUID(), description: '', amount: '', quantity: '1' });

export function sentLines(lines: readonly Line[]): SentLine[] {
  return lines.map(({ itemId, description, amount, quantity }) =>
    itemId ? { itemId, quantity: Number(quantity) } : { description, amount, quantity: Number(quantity) },
  );
}

interface LinesInputProps {
  lines: Line[];
  currency: string;
  onChange(lines: Line[]): void;
}

/** Lines of an order: an approved item is found by its name, anything else is written. */
export function LinesInput({ lines, currency, onChange }: LinesInputProps) {
  const translate = useTranslate();
  const change = (key: string, values: Partial<Line>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...values } : line)));
  return (
    <Box sx={{ my: 1 }}>
      {lines.map((line, index) => (
        <Box
          key={line.key}
          component="fieldset"
          sx={{ border: 1, borderColor: 'divider', borderRadius: 1, mb: 1, display: 'flex', flexWrap: 'wrap', gap: 1 }}
        >
          <legend>{translate('console.lines.line', { number: index + 1 })}</legend>
          <What line={line} currency={currency} onChange={(values) => change(line.key, values)} />
          {!line.itemId && (
            <AmountInput
              label={translate('console.lines.amount')}
              value={line.amount}
              onChange={(amount) => change(line.key, { amount })}
              required
              sx={{ flex: '1 1 8rem' }}
            />
          )}
          <Input
            label={translate('console.lines.quantity')}
            value={line.quantity}
            onChange={(quantity) => change(line.key, { quantity })}
            type="number"
            slotProps={{ htmlInput: { min: 1 } }}
            required
            sx={{ flex: '1 1 6rem' }}
          />
          {lines.length > 1 && (
            <IconButton
              aria-label={translate('console.lines.remove', { number: index + 1 })}
              onClick={() => onChange(lines.filter(({ key }) => key !== line.key))}
            >
              <DeleteIcon />
            </IconButton>
          )}
        </Box>
      ))}
      <Button size="small" startIcon={<AddIcon />} onClick={() => onChange([...lines, emptyLine()])}>
        {translate('console.lines.add')}
      </Button>
    </Box>
  );
}

/** An item of the seller, or text. */
function What({ line, currency, onChange }: { line: Line; currency: string; onChange(values: Partial<Line>): void }) {
  const translate = useTranslate();
  const say = useAmountText();
  const [search, setSearch] = useState('');
  const { data } = useQuery({
    queryKey: ['items-to-order', search, currency, currentScope()],
    enabled: /^[A-Z]{3}$/.test(currency),
    queryFn: ({ signal }) =>
      api.get('/inventory/1.0.0/items', {
        query: { status: 'approved', currency, limit: 20, ...(search && { search }) },
        signal,
      }),
  });
  const found = data?.data ?? [];
  return (
    <Autocomplete
      freeSolo
      // The API has looked already.
      filterOptions={(options) => options}
      options={found}
      getOptionLabel={(option) => (typeof option === 'string' ? option : option.name)}
      getOptionKey={(option) => (typeof option === 'string' ? option : option.itemId)}
      renderOption={({ key, ...props }, { name, sku, price, available }) => (
        <li key={key} {...props}>
          {name} · {sku} · {say(price, currency)} · {translate('console.lines.available', { available })}
        </li>
      )}
      inputValue={line.description}
      onInputChange={(_event, text, reason) => {
        if (reason === 'reset') return;
        setSearch(text);
        onChange({ description: text, itemId: undefined });
      }}
      onChange={(_event, chosen) => {
        if (chosen && typeof chosen !== 'string') onChange({ itemId: chosen.itemId, description: chosen.name });
      }}
      sx={{ flex: '3 1 14rem' }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={translate('console.lines.what')}
          helperText={line.itemId ? translate('console.lines.isItem') : undefined}
          required
          margin="dense"
        />
      )}
    />
  );
}
