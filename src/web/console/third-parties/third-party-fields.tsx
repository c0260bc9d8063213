import { useTranslate } from 'react-admin';
import { ChoiceInput, Input } from '../parts/input';
import { ManyInput } from '../parts/many-input';
import { Problem } from '../parts/problem';
import { type Key, PROFILES, type Profile, type ThirdParty, useTenants } from './third-party';

/** A third party while it is written: lists and keys are text. */
export interface ThirdPartyText {
  name: string;
  profile: Profile;
  tenantIds: string[];
  /** One in a line. */
  redirectUris: string;
  /** Where its keys are: here, or at an address of its own. */
  keysAt: 'jwks' | 'jwksUri';
  jwks: string;
  jwksUri: string;
  /** Empty for a new one: its id. */
  iss: string;
}

export function emptyFields(tenantIds: string[]): ThirdPartyText {
  const keys = { keysAt: 'jwks', jwks: '', jwksUri: '' } as const;
  return { name: '', profile: 'fapi2', tenantIds, redirectUris: '', ...keys, iss: '' };
}

export function fieldsOf({ name, profile, tenantIds, redirectUris, jwks, jwksUri, iss }: ThirdParty): ThirdPartyText {
  return {
    name,
    profile,
    tenantIds,
    redirectUris: redirectUris.join('\n'),
    keysAt: jwksUri === undefined ? 'jwks' : 'jwksUri',
    jwks: jwks ? JSON.stringify(jwks, null, 2) : '',
    jwksUri: jwksUri ?? '',
    iss,
  };
}

/** What was written, as the API takes it. It throws for keys that are no JSON; the API says what else is wrong. */
export function useBody() {
  const translate = useTranslate();
  return ({ name, profile, tenantIds, redirectUris, keysAt, jwks, jwksUri, iss }: ThirdPartyText) => ({
    name: name.trim(),
    profile,
    // As the API keeps them.
    tenantIds: [...tenantIds].sort(),
    redirectUris: redirectUris.split(/\s+/).filter(Boolean),
    ...(iss.trim() && { iss: iss.trim() }),
    ...(keysAt === 'jwks'
      ? { jwks: keySetOf(jwks) ?? fail(translate('thirdParties.noKeySet')) }
      : { jwksUri: jwksUri.trim() }),
  });
}

interface FieldsProps {
  isNew?: boolean;
  values: ThirdPartyText;
  onChange(values: ThirdPartyText): void;
}

/** What is asked about a third party, a new one or one that is there. */
export function Fields({ isNew = false, values, onChange }: FieldsProps) {
  const translate = useTranslate();
  const { names, error } = useTenants();
  const input = <K extends keyof ThirdPartyText>(name: K) => ({
    label: translate(`thirdParties.${name}`),
    onChange: (value: ThirdPartyText[K]) => onChange({ ...values, [name]: value }),
  });
  const choices = (ids: readonly string[], words: string) =>
    ids.map((id) => ({ id, name: translate(`thirdParties.${words}.${id}`) }));
  return (
    <>
      <Problem error={error} />
      <Input
        {...input('name')}
        value={values.name}
        helperText={translate('thirdParties.nameHelp')}
        required
        slotProps={{ htmlInput: { maxLength: 200 } }}
      />
      <ManyInput
        {...input('tenantIds')}
        values={values.tenantIds}
        choices={[...new Set([...names.keys(), ...values.tenantIds])]}
        nameOf={(id) => names.get(id) ?? id}
        helperText={translate('thirdParties.tenantIdsHelp')}
      />
      <ChoiceInput
        {...input('profile')}
        value={values.profile}
        onChange={(profile) => onChange({ ...values, profile: profile as Profile })}
        choices={choices(PROFILES, 'profiles')}
        helperText={translate(`thirdParties.profileHelp.${values.profile}`)}
      />
      <Input
        {...input('redirectUris')}
        value={values.redirectUris}
        helperText={translate('thirdParties.redirectUrisHelp')}
        multiline
        minRows={2}
        required
      />
      <ChoiceInput
        {...input('keysAt')}
        value={values.keysAt}
        onChange={(keysAt) => onChange({ ...values, keysAt: keysAt as ThirdPartyText['keysAt'] })}
        choices={choices(['jwks', 'jwksUri'], 'keysAts')}
      />
      {values.keysAt === 'jwks' ? (
        <Input
          {...input('jwks')}
          value={values.jwks}
          helperText={translate('thirdParties.jwksHelp')}
          multiline
          minRows={4}
          maxRows={16}
          required
          sx={{ '& textarea': { fontFamily: 'monospace' } }}
        />
      ) : (
        <Input
          {...input('jwksUri')}
          value={values.jwksUri}
          type="url"
          helperText={translate('thirdParties.jwksUriHelp')}
          required
        />
      )}
      <Input
        {...input('iss')}
        value={values.iss}
        helperText={translate(isNew ? 'thirdParties.issHelpNew' : 'thirdParties.issHelp')}
        required={!isNew}
      />
    </>
  );
}

/** A key set (RFC 7517). Undefined for what is none. */
function keySetOf(text: string): { keys: Key[] } | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys?: Key[] };
    return Array.isArray(keys) ? { keys } : undefined;
  } catch {
    return undefined;
  }
}

function fail(message: string): never {
  throw new Error(message);
}
