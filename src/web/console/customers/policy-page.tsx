import { Box, Button, Checkbox, FormControlLabel, FormGroup, Typography } from '@mui/material';
import { useEffect, useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { type Answer, api } from '../server/api';

type Policy = Answer<'/customer/1.0.0/verificationPolicy'>;
type Whose = keyof Policy;

const DOCUMENT_TYPES = [
  'ID front side',
  'ID back side',
  'Passport',
  'Driving licence',
  'Proof of address',
  'Certificate of incorporation',
];
const PATH = '/customer/1.0.0/verificationPolicy';

/** Which documents customers have to provide before they are verified. */
export default function PolicyPage() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { data, error } = useReading(['policy'], (signal) => api.get(PATH, { signal }));
  const [policy, setPolicy] = useState<Policy>();
  useEffect(() => setPolicy(data), [data]);
  const change = (whose: Whose, at: number, documentTypes?: string[]) =>
    setPolicy((now) => {
      const rows = [...(now?.[whose] ?? [])];
      if (!documentTypes) rows.splice(at, 1);
      else rows[at] = { purpose: whose === 'Person' ? 'KYC' : 'KYB', ...rows[at], documentTypes };
      return { ...now!, [whose]: rows };
    });
  return (
    <>
      <Heading
        title={translate('customers.policy.title')}
        acts={
          policy && (
            <Act
              id="verification-policy"
              label={translate('customers.policy.save')}
              variant="contained"
              question={translate('customers.policy.question')}
              values={policy}
              send={() => api.put(PATH, { body: policy })}
              onDone={refresh}
            />
          )
        }
      />
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {translate('customers.policy.intro')}
      </Typography>
      <Problem error={error} />
      {policy &&
        (['Person', 'Organization'] as const).map((whose) => (
          <Section key={whose} title={translate(`customers.types.${whose}`)}>
            {policy[whose].map(({ purpose, documentTypes }, at) => (
              <Box
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows are told apart by their place alone
                key={at}
                component="fieldset"
                sx={{ border: 1, borderColor: 'divider', borderRadius: 1, mb: 1 }}
              >
                <legend>{translate('customers.policy.oneOf', { number: at + 1, purpose })}</legend>
                <FormGroup row>
                  {[...new Set([...DOCUMENT_TYPES, ...documentTypes])].map((type) => (
                    <FormControlLabel
                      key={type}
                      label={type}
                      control={
                        <Checkbox
                          checked={documentTypes.includes(type)}
                          onChange={(_, isOn) =>
                            change(
                              whose,
                              at,
                              isOn ? [...documentTypes, type] : documentTypes.filter((one) => one !== type),
                            )
                          }
                        />
                      }
                    />
                  ))}
                </FormGroup>
                <Button size="small" color="error" onClick={() => change(whose, at)}>
                  {translate('customers.policy.remove', { number: at + 1 })}
                </Button>
              </Box>
            ))}
            <Button size="small" onClick={() => change(whose, policy[whose].length, [])}>
              {translate('customers.policy.add')}
            </Button>
          </Section>
        ))}
    </>
  );
}
