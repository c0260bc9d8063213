import { Typography } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { type Answer, api } from '../server/api';
import type { Person } from '../session/session';
import { useDone } from './rule-act';

const ATTEMPT_LIMITS = '/routing/1.0.0/attempt-limits';

type Limit = Answer<typeof ATTEMPT_LIMITS>['limits'][number];
type Subject = Limit['per'];

const SUBJECT_ORDER: Record<Subject, number> = { customer: 0, card: 1, address: 2, merchant: 3 };
const SUBJECTS = Object.keys(SUBJECT_ORDER) as Subject[];

/** After how many declined card attempts the tenant refuses further ones. Its admins set it. */
export function AttemptLimits() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const { data, error } = useReading(['attempt-limits'], (signal) => api.get(ATTEMPT_LIMITS, { signal }));
  const limits = data?.limits;
  return (
    <Section
      title={translate('attemptLimits.title')}
      acts={limits && person?.role === 'tenant_admin' && <Change key={JSON.stringify(limits)} limits={limits} />}
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {translate('attemptLimits.intro')}
      </Typography>
      <Problem error={error} />
      {limits && (
        <Facts>
          {SUBJECTS.map((per) => {
            const limit = limits.find((one) => one.per === per);
            return (
              <Fact key={per} name={translate(`attemptLimits.per.${per}`)}>
                {limit ? translate('attemptLimits.limit', { ...limit }) : translate('attemptLimits.none')}
              </Fact>
            );
          })}
        </Facts>
      )}
    </Section>
  );
}

/** What is written for one subject; both empty: no limit. */
type Written = Record<Subject, { declined: string; windowSeconds: string }>;

function Change({ limits }: { limits: readonly Limit[] }) {
  const translate = useTranslate();
  const done = useDone();
  const [values, setValues] = useState(() => writtenOf(limits));
  const input = (per: Subject, name: 'declined' | 'windowSeconds') => (
    <Input
      key={name}
      label={translate(`attemptLimits.${name}`, { per: translate(`attemptLimits.per.${per}`) })}
      value={values[per][name]}
      onChange={(value) => setValues((now) => ({ ...now, [per]: { ...now[per], [name]: value.trim() } }))}
      slotProps={{ htmlInput: { inputMode: 'numeric' } }}
    />
  );
  return (
    <Act
      id="routing/attempt-limits"
      label={translate('attemptLimits.change')}
      question={translate('attemptLimits.question')}
      values={values}
      send={() => api.put(ATTEMPT_LIMITS, { body: { limits: limitsIn(values) } })}
      onDone={done}
    >
      {SUBJECTS.map((per) => [input(per, 'declined'), input(per, 'windowSeconds')])}
    </Act>
  );
}

function writtenOf(limits: readonly Limit[]): Written {
  const of = (per: Subject) => {
    const limit = limits.find((one) => one.per === per);
    return { declined: String(limit?.declined ?? ''), windowSeconds: String(limit?.windowSeconds ?? '') };
  };
  return Object.fromEntries(SUBJECTS.map((per) => [per, of(per)])) as Written;
}

/** What was written, as the API takes it. The API says what is wrong. */
function limitsIn(values: Written): Limit[] {
  return SUBJECTS.filter((per) => values[per].declined || values[per].windowSeconds).map((per) => ({
    per,
    declined: Number(values[per].declined),
    windowSeconds: Number(values[per].windowSeconds),
  }));
}
