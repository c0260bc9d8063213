import { Alert, Box, Button, Card, CardContent, CircularProgress, Typography } from '@mui/material';
import type { FormEvent, ReactNode } from 'react';
import { useTranslate } from 'react-admin';
import { type Asked, useAct } from './act-sending';
import { Heading } from './heading';
import { Problem } from './problem';

export interface FormPageProps<Answer> {
  title: string;
  /** What it makes, such as `create/item`: the key of a lost answer is found again by it. */
  id: string;
  /** What was entered: other values get another key. */
  values: unknown;
  label: string;
  /** A sentence about what happens then. */
  intro?: string;
  send(asked: Asked): Promise<Answer>;
  onDone(answer: Answer): void;
  children: ReactNode;
}

/** A page with a form. It is sent once however often the button is pressed, and asked about again when the answer is lost. */
export function FormPage<Answer>(props: FormPageProps<Answer>) {
  const { title, label, intro, children } = props;
  const translate = useTranslate();
  const act = useAct(props);
  const isBusy = act.step === 'sending' || act.step === 'lost';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.run();
  };
  return (
    <>
      <Heading title={title} />
      <Card sx={{ maxWidth: 720 }}>
        <CardContent>
          <form onSubmit={submit}>
            {intro && (
              <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
                {intro}
              </Typography>
            )}
            {children}
            <div aria-live="polite">
              {act.step === 'lost' && <Alert severity="warning">{translate('console.act.lost')}</Alert>}
              {act.step === 'unknown' && <Alert severity="warning">{translate('console.act.unknown')}</Alert>}
              <Problem error={act.error} />
            </div>
            <Box sx={{ mt: 2 }}>
              <Button
                type="submit"
                variant="contained"
                disabled={isBusy}
                startIcon={isBusy ? <CircularProgress size={16} color="inherit" /> : undefined}
              >
                {act.step === 'unknown' ? translate('console.act.askAgain') : label}
              </Button>
            </Box>
          </form>
        </CardContent>
      </Card>
    </>
  );
}
