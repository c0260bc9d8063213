import type { ReactNode } from 'react';
import { useState } from 'react';
import { useNotify, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { AmountInput, Input } from '../parts/input';
import { ManyInput } from '../parts/many-input';
import type { RecordOf } from '../server/api';
import { ChangedMeanwhile, KINDS, PROCESSORS, RISKS, type Rule, replaceRules } from './rule';

export type Method = RecordOf<'/payments/methods'>;

/** A rule while it is written: lists of codes are text. */
interface RuleText extends Required<Pick<Rule, 'kinds' | 'risk' | 'processors'>> {
  name: string;
  methods: string[];
  countries: string;
  currencies: string;
  minAmount: string;
  maxAmount: string;
}

interface RuleActProps {
  id: string;
  label: string;
  /** What it starts with; nothing for a new rule. */
  rule?: Rule;
  methods: readonly Method[];
  shown: readonly Rule[];
  /** The list that the written rule makes. */
  withRule(rule: Rule): Rule[];
  variant?: 'contained';
  startIcon?: ReactNode;
}

/** A rule is written: a new one, or one that is there. */
export function RuleAct({ id, label, rule, methods, shown, withRule, variant, startIcon }: RuleActProps) {
  const translate = useTranslate();
  const done = useDone();
  const change = useReplacing(shown);
  const [values, setValues] = useState(() => textOf(rule));
  const set = <K extends keyof RuleText>(name: K) => ({
    label: translate(`routing.${name}`),
    onChange: (value: RuleText[K]) => setValues((now) => ({ ...now, [name]: value })),
  });
  const methodName = (methodId: string) => {
    const method = methods.find(({ id: one }) => String(one) === methodId);
    return method ? `${methodId} · ${method.name}` : methodId;
  };
  const isOneCurrency = codesOf(values.currencies).length === 1;
  return (
    <Act
      id={id}
      label={label}
      variant={variant}
      startIcon={startIcon}
      question={translate('routing.question')}
      values={[shown, values]}
      send={() => change(withRule(ruleOf(values)))}
      onDone={done}
    >
      <Input {...set('name')} value={values.name} required slotProps={{ htmlInput: { maxLength: 100 } }} />
      <ManyInput
        {...set('processors')}
        values={values.processors}
        choices={PROCESSORS}
        nameOf={(processor) => translate(`routing.processorNames.${processor}`)}
        helperText={translate('routing.processorsHelp')}
      />
      <ManyInput
        {...set('kinds')}
        values={values.kinds}
        choices={KINDS}
        nameOf={(kind) => translate(`payments.kinds.${kind}`)}
        helperText={translate('routing.anyHelp')}
      />
      <ManyInput
        {...set('methods')}
        values={values.methods}
        choices={methods.map(({ id: one }) => String(one))}
        nameOf={methodName}
      />
      <Input {...set('countries')} value={values.countries} helperText={translate('routing.countriesHelp')} />
      <Input {...set('currencies')} value={values.currencies} helperText={translate('routing.currenciesHelp')} />
      <AmountInput {...set('minAmount')} value={values.minAmount} disabled={!isOneCurrency && !values.minAmount} />
      <AmountInput
        {...set('maxAmount')}
        value={values.maxAmount}
        disabled={!isOneCurrency && !values.maxAmount}
        helperText={translate('routing.amountHelp')}
      />
      <ManyInput
        {...set('risk')}
        values={values.risk}
        choices={RISKS}
        nameOf={(risk) => translate(`routing.risks.${risk}`)}
      />
    </Act>
  );
}

/** Puts other rules in the place of those that are shown; says so when somebody else was faster. */
export function useReplacing(shown: readonly Rule[]) {
  const translate = useTranslate();
  return (wanted: readonly Rule[]) =>
    replaceRules(shown, wanted).catch((error) => {
      throw error instanceof ChangedMeanwhile ? new Error(translate('routing.changedMeanwhile')) : error;
    });
}

/** The page reads the rules again; the form of a rule that is no more goes with it. */
export function useDone() {
  const notify = useNotify();
  const refresh = useRefresh();
  return () => {
    notify('console.act.done', { type: 'success' });
    refresh();
  };
}

function textOf(rule?: Rule): RuleText {
  return {
    name: rule?.name ?? '',
    processors: rule?.processors ?? [],
    kinds: rule?.kinds ?? [],
    methods: rule?.methods?.map(String) ?? [],
    countries: rule?.countries?.join(' ') ?? '',
    currencies: rule?.currencies?.join(' ') ?? '',
    minAmount: rule?.minAmount ?? '',
    maxAmount: rule?.maxAmount ?? '',
    risk: rule?.risk ?? [],
  };
}

/** What was written, as the API takes it: a condition that is empty is left out. The API says what is wrong. */
function ruleOf({
  name,
  processors,
  kinds,
  methods,
  countries,
  currencies,
  minAmount,
  maxAmount,
  risk,
}: RuleText): Rule {
  const [inCountries, inCurrencies] = [codesOf(countries), codesOf(currencies)];
  return {
    name: name.trim(),
    processors,
    ...(kinds.length > 0 && { kinds }),
    ...(methods.length > 0 && { methods: methods.map(Number) }),
    ...(inCountries.length > 0 && { countries: inCountries }),
    ...(inCurrencies.length > 0 && { currencies: inCurrencies }),
    ...(minAmount && { minAmount }),
    ...(maxAmount && { maxAmount }),
    ...(risk.length > 0 && { risk }),
  };
}

/** "pt, es" and "PT ES" are the same two codes. */
export function codesOf(text: string): string[] {
  return text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean);
}
