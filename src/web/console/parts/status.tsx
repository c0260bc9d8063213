import { Chip } from '@mui/material';
import { useTranslate } from 'react-admin';

/** How a status feels: over and well, under way, needs somebody, over and not well. */
export type Tone = 'good' | 'moving' | 'waiting' | 'bad' | 'plain';

const COLOURS = { good: 'success', moving: 'info', waiting: 'warning', bad: 'error', plain: 'default' } as const;

/** A status in words and colour: the words say all, the colour only helps. */
export function Status({ value, label, tone = 'plain' }: { value: string; label?: string; tone?: Tone }) {
  const translate = useTranslate();
  const text = label ?? translate(`status.${value}`, { _: value.replaceAll('_', ' ') });
  return <Chip size="small" variant="outlined" color={COLOURS[tone]} label={text} />;
}
