import { Typography } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { useAmountText } from '../parts/amount';
import { Fact, Facts, Section } from '../parts/facts';
import { ChoiceInput, Input } from '../parts/input';
import { ManyInput } from '../parts/many-input';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { type Answer, api } from '../server/api';
import type { Person } from '../session/session';
import { RISKS } from './rule';
import { codesOf, useDone } from './rule-act';

const AUTHENTICATION_POLICY = '/routing/1.0.0/authentication-policy';

type Policy = NonNullable<Answer<typeof AUTHENTICATION_POLICY>['policy']>;
type Exemption = NonNullable<Policy['exemptions']>[number];

/** Without a policy each request decides. */
const CHOICES = ['', 'always', 'when', 'never'] as const;
const EXEMPTIONS: readonly Exemption[] = ['low_value', 'merchant_initiated'];

/** When the tenant's payers have to authenticate by 3-D Secure. Its admins set it. */
export function AuthenticationPolicy() {
  const translate = useTranslate();
  const say = useAmountText();
  const { permissions: person } = usePermissions<Person>();
  const { data, error } = useReading(['authentication-policy'], (signal) => api.get(AUTHENTICATION_POLICY, { signal }));
  const policy = data?.policy;
  return (
    <Section
      title={translate('authenticationPolicy.title')}
      acts={data && person?.role === 'tenant_admin' && <Change key={JSON.stringify(policy ?? null)} policy={policy} />}
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {translate('authenticationPolicy.intro')}
      </Typography>
      <Problem error={error} />
      {data && (
        <Facts>
          <Fact name={translate('authenticationPolicy.require')}>
            {translate(`authenticationPolicy.requirements.${policy?.require ?? 'none'}`)}
          </Fact>
          <Fact name={translate('authenticationPolicy.above')}>
            {policy?.above?.map(({ currency, amount }) => say(amount, currency)).join(', ')}
          </Fact>
          <Fact name={translate('authenticationPolicy.risk')}>
            {policy?.risk?.map((level) => translate(`routing.risks.${level}`)).join(', ')}
          </Fact>
          <Fact name={translate('authenticationPolicy.countries')}>{policy?.countries?.join(', ')}</Fact>
          <Fact name={translate('authenticationPolicy.exemptions')}>
            {policy?.exemptions?.map((one) => translate(`authenticationPolicy.exempt.${one}`)).join(', ')}
          </Fact>
        </Facts>
      )}
    </Section>
  );
}

/** A policy while it is written: amounts and countries are text. */
interface Written {
  require: string;
  above: string;
  risk: NonNullable<Policy['risk']>;
  countries: string;
  exemptions: Exemption[];
}

function Change({ policy }: { policy?: Policy }) {
  const translate = useTranslate();
  const done = useDone();
  const [values, setValues] = useState(() => writtenOf(policy));
  const set = <K extends keyof Written>(name: K) => ({
    label: translate(`authenticationPolicy.${name}`),
    onChange: (value: Written[K]) => setValues((now) => ({ ...now, [name]: value })),
  });
  const isWhen = values.require === 'when';
  return (
    <Act
      id="routing/authentication-policy"
      label={translate('authenticationPolicy.change')}
      question={translate('authenticationPolicy.question')}
      values={values}
      send={() => api.put(AUTHENTICATION_POLICY, { body: { policy: policyIn(values) } })}
      onDone={done}
    >
      <ChoiceInput
        {...set('require')}
        value={values.require}
        choices={CHOICES.map((id) => ({ id, name: translate(`authenticationPolicy.requirements.${id || 'none'}`) }))}
      />
      <Input
        {...set('above')}
        value={values.above}
        disabled={!isWhen}
        helperText={translate('authenticationPolicy.aboveHelp')}
      />
      <ManyInput
        {...set('risk')}
        values={values.risk}
        choices={RISKS}
        disabled={!isWhen}
        nameOf={(level) => translate(`routing.risks.${level}`)}
      />
      <Input
        {...set('countries')}
        value={values.countries}
        disabled={!isWhen}
        helperText={translate('routing.countriesHelp')}
      />
      <ManyInput
        {...set('exemptions')}
        values={values.exemptions}
        choices={EXEMPTIONS}
        disabled={!values.require}
        nameOf={(one) => translate(`authenticationPolicy.exempt.${one}`)}
      />
    </Act>
  );
}

function writtenOf(policy?: Policy): Written {
  return {
    require: policy?.require ?? '',
    above: policy?.above?.map(({ currency, amount }) => `${currency} ${amount}`).join(', ') ?? '',
    risk: policy?.risk ?? [],
    countries: policy?.countries?.join(' ') ?? '',
    exemptions: policy?.exemptions ?? [],
  };
}

/** What was written, as the API takes it; undefined: no policy. The API says what is wrong. */
function policyIn({ require, above, risk, countries, exemptions }: Written): Policy | undefined {
  if (!require) return undefined;
  if (require !== 'when') return { require, exemptions } as Policy;
  const [amounts, codes] = [amountsOf(above), codesOf(countries)];
  return {
    require,
    ...(amounts.length > 0 && { above: amounts }),
    ...(risk.length > 0 && { risk }),
    ...(codes.length > 0 && { countries: codes }),
    exemptions,
  };
}

/** "eur 30.00, GBP 25.00": an amount for each currency. */
function amountsOf(text: string): NonNullable<Policy['above']> {
  return text
    .split(/[,;]+/)
    .map((part) => part.trim().split(/\s+/))
    .filter(([currency]) => currency)
    .map(([currency = '', amount = '']) => ({ currency: currency.toUpperCase(), amount }));
}
