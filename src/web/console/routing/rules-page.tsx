import AddIcon from '@mui/icons-material/Add';
import { Box, Card, CardContent, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { useAmountText } from '../parts/amount';
import { Fact, Facts } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import { AttemptLimits } from './attempt-limits';
import { AuthenticationPolicy } from './authentication-policy';
import { CustomerSharing } from './customer-sharing';
import { RULES, type Rule } from './rule';
import { type Method, RuleAct, useDone, useReplacing } from './rule-act';

/** The rules that choose the processors of the tenant's payments: the first one that fits decides. */
export default function RulesPage() {
  const translate = useTranslate();
  const { tenantId } = useScope();
  const title = translate('routing.title');
  if (!tenantId)
    return (
      <>
        <Heading title={title} />
        <Card sx={{ p: 3 }}>
          <Typography>{translate('console.scope.chooseTenant')}</Typography>
        </Card>
      </>
    );
  // Another tenant's rules are another page: nothing half written goes along.
  return <Rules key={tenantId} title={title} />;
}

function Rules({ title }: { title: string }) {
  const translate = useTranslate();
  const { data, error } = useReading(['routing-rules'], (signal) => api.get(RULES, { signal }));
  const catalogue = useReading(['methods'], (signal) => api.get('/payments/methods', { signal }));
  const methods = catalogue.data?.data ?? [];
  const rules = data?.rules;
  return (
    <>
      <Heading
        title={title}
        acts={
          rules && (
            <RuleAct
              // A rule that was added leaves an empty form behind.
              key={JSON.stringify(rules)}
              id="routing/add"
              label={translate('routing.add')}
              methods={methods}
              shown={rules}
              withRule={(rule) => [...rules, rule]}
              variant="contained"
              startIcon={<AddIcon />}
            />
          )
        }
      />
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {translate('routing.intro')}
      </Typography>
      <Problem error={error ?? catalogue.error} />
      {rules && (
        <Box component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
          {rules.map((rule, at) => (
            <RuleCard
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no ids; one is told apart by its place and what it says
              key={`${at}/${JSON.stringify(rule)}`}
              rule={rule}
              at={at}
              rules={rules}
              methods={methods}
            />
          ))}
          <Card component="li" sx={{ p: 2 }}>
            <Typography variant="body2">{translate(rules.length > 0 ? 'routing.else' : 'routing.none')}</Typography>
          </Card>
        </Box>
      )}
      <Box sx={{ mt: 3 }}>
        <AuthenticationPolicy />
        <CustomerSharing />
        <AttemptLimits />
      </Box>
    </>
  );
}

interface RuleCardProps {
  rule: Rule;
  at: number;
  rules: readonly Rule[];
  methods: readonly Method[];
}

function RuleCard({ rule, at, rules, methods }: RuleCardProps) {
  const translate = useTranslate();
  const say = useAmountText();
  const { name, processors, kinds, countries, currencies, minAmount, maxAmount, risk } = rule;
  const [code = ''] = currencies ?? [];
  const methodNames = rule.methods?.map((id) => methods.find((method) => method.id === id)?.name ?? String(id));
  const isForAll = Object.keys(rule).every((member) => member === 'name' || member === 'processors');
  return (
    <Card component="li" sx={{ mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
          <Typography variant="h6" component="h2" sx={{ flex: 1, minWidth: '12rem', overflowWrap: 'anywhere' }}>
            {at + 1}. {name}
          </Typography>
          <Acts rule={rule} at={at} rules={rules} methods={methods} />
        </Box>
        <Facts>
          <Fact name={translate('routing.processors')}>
            {processors
              .map((processor) => translate(`routing.processorNames.${processor}`))
              .join(translate('routing.then'))}
          </Fact>
          <Fact name={translate('routing.kinds')}>
            {kinds?.map((kind) => translate(`payments.kinds.${kind}`)).join(', ')}
          </Fact>
          <Fact name={translate('routing.methods')}>{methodNames?.join(', ')}</Fact>
          <Fact name={translate('routing.countries')}>{countries?.join(', ')}</Fact>
          <Fact name={translate('routing.currencies')}>{currencies?.join(', ')}</Fact>
          <Fact name={translate('routing.minAmount')}>{minAmount && say(minAmount, code)}</Fact>
          <Fact name={translate('routing.maxAmount')}>{maxAmount && say(maxAmount, code)}</Fact>
          <Fact name={translate('routing.risk')}>
            {risk?.map((level) => translate(`routing.risks.${level}`)).join(', ')}
          </Fact>
          {isForAll && <Fact name={translate('routing.fits')}>{translate('routing.all')}</Fact>}
        </Facts>
      </CardContent>
    </Card>
  );
}

function Acts({ rule, at, rules, methods }: RuleCardProps) {
  const translate = useTranslate();
  const done = useDone();
  const replace = useReplacing(rules);
  const { name = '' } = rule;
  const above = rules[at - 1];
  return (
    <>
      <RuleAct
        id={`routing/change/${at}`}
        label={translate('routing.change')}
        rule={rule}
        methods={methods}
        shown={rules}
        withRule={(changed) => rules.with(at, changed)}
      />
      {above && (
        <Act
          id={`routing/up/${at}`}
          label={translate('routing.up')}
          question={translate('routing.upQuestion', { name, above: above.name ?? '' })}
          values={rules}
          send={() => replace(rules.with(at - 1, rule).with(at, above))}
          onDone={done}
        />
      )}
      <Act
        id={`routing/remove/${at}`}
        label={translate('routing.remove')}
        color="error"
        question={translate('routing.removeQuestion', { name })}
        values={rules}
        send={() => replace(rules.toSpliced(at, 1))}
        onDone={done}
      />
    </>
  );
}
