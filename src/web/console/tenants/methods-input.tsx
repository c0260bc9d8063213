import { useTranslate } from 'react-admin';
import { ManyInput } from '../parts/many-input';
import { Problem } from '../parts/problem';
import { useMethods } from './tenant';

/** Some of the methods of the catalogue, by id. */
export function MethodsInput({ values, onChange }: { values: readonly string[]; onChange(values: string[]): void }) {
  const translate = useTranslate();
  const { names, error } = useMethods();
  return (
    <>
      <Problem error={error} />
      <ManyInput
        label={translate('tenants.methods')}
        helperText={translate('tenants.methodsHelp')}
        values={values}
        choices={[...names.keys()]}
        nameOf={(id) => names.get(id) ?? id}
        onChange={onChange}
      />
    </>
  );
}
