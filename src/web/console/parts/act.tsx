import {
  Alert,
  Box,
  Button,
  type ButtonProps,
  CircularProgress,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
} from '@mui/material';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslate } from 'react-admin';
import { type Asked, type Outcome, useAct } from './act-sending';
import { Problem } from './problem';

export interface ActProps<Answer> {
  /** What it is about and what it does, such as `refund/pay_…`: the key of a lost answer is found again by it. */
  id: string;
  label: string;
  /** The heading of the question; the label where absent. */
  title?: string;
  /** The question in words: amount, payee, and what happens then. */
  question: ReactNode;
  /** Inputs that belong to the question. The values stay with the page that shows the act. */
  children?: ReactNode;
  /** Sends it. Every repetition comes with the same key as long as nothing is known. */
  send(asked: Asked): Promise<Answer>;
  /** What the values are, so that others get another key. */
  values?: unknown;
  /** What the answer says. `pending` has the page ask with `poll` until it is known. */
  outcomeOf?(answer: Answer): Outcome;
  poll?(signal: AbortSignal): Promise<Answer>;
  /** When it is known: the page reads itself again. */
  onDone?(answer: Answer): void;
  disabled?: boolean;
  color?: ButtonProps['color'];
  variant?: ButtonProps['variant'];
  startIcon?: ReactNode;
}

/**
 * An act that matters: it asks first, runs once however often it is pressed, survives an answer that is lost, and shows
 * what became of it.
 */
export function Act<Answer>(props: ActProps<Answer>) {
  const {
    label,
    title = label,
    question,
    children,
    disabled,
    color = 'primary',
    variant = 'outlined',
    startIcon,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const translate = useTranslate();
  const heading = useId();
  const act = useAct(props);
  const isBusy = act.step === 'sending' || act.step === 'lost';
  const close = (by: object) => {
    if (isBusy || isSecondClick(by)) return;
    setOpen(false);
    act.forget();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    act.run();
  };
  return (
    <>
      <Button
        size="small"
        variant={variant}
        color={color}
        startIcon={startIcon}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Dialog open={isOpen} onClose={close} aria-labelledby={heading} fullWidth maxWidth="xs">
        <form onSubmit={submit}>
          <DialogTitle id={heading}>{title}</DialogTitle>
          <DialogContent>
            {act.step === 'asking' && (
              <>
                <Box sx={{ mb: 1 }}>{question}</Box>
                {children}
              </>
            )}
            <div aria-live="polite">
              {act.step === 'asking' && <Problem error={act.error} />}
              {act.step === 'sending' && (
                <Alert icon={<CircularProgress size={18} />} severity="info">
                  {translate('console.act.sending')}
                </Alert>
              )}
              {act.step === 'lost' && (
                <Alert icon={<CircularProgress size={18} />} severity="warning">
                  {translate('console.act.lost')}
                </Alert>
              )}
              {act.step === 'unknown' && <Alert severity="warning">{translate('console.act.unknown')}</Alert>}
              {act.step === 'waiting' && (
                <Alert icon={<CircularProgress size={18} />} severity="info">
                  {translate('console.act.waiting')}
                </Alert>
              )}
              {act.step === 'stillWaiting' && <Alert severity="info">{translate('console.act.stillWaiting')}</Alert>}
              {act.step === 'known' && (
                <Alert severity={act.outcome!.state === 'done' ? 'success' : 'error'}>
                  {act.outcome!.text ?? translate('console.act.done')}
                </Alert>
              )}
            </div>
          </DialogContent>
          <DialogActions>
            {act.step === 'asking' && (
              <>
                <Button onClick={close} autoFocus={children === undefined}>
                  {translate('console.act.back')}
                </Button>
                <Button type="submit" variant="contained" color={color}>
                  {translate('console.act.confirm')}
                </Button>
              </>
            )}
            {act.step === 'unknown' && (
              <Button type="submit" variant="contained">
                {translate('console.act.askAgain')}
              </Button>
            )}
            {act.step !== 'asking' && (
              <Button onClick={close} disabled={isBusy}>
                {translate('console.act.close')}
              </Button>
            )}
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}

/** The second click of a double click is meant for what stood there at the first, not for what has taken its place. */
function isSecondClick(by: object): boolean {
  return 'detail' in by && Number(by.detail) > 1;
}
