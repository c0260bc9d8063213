import { useState } from 'react';
import { useGetOne, useRedirect, useTranslate } from 'react-admin';
import { useParams } from 'react-router';
import { FormPage } from '../parts/form-page';
import { Problem } from '../parts/problem';
import { type Change, changeThirdParty, type ThirdParty } from './third-party';
import { Fields, fieldsOf, useBody } from './third-party-fields';

export default function ThirdPartyEdit() {
  const { id = '' } = useParams();
  const { data, error, isFetchedAfterMount } = useGetOne('third-parties', { id }, { staleTime: 0, retry: false });
  if (error) return <Problem error={error} />;
  // What another page has read may be old by now.
  return data && isFetchedAfterMount ? <Form record={data as unknown as ThirdParty} /> : null;
}

/** Sends only what was changed. Tells when somebody else was faster. */
function Form({ record }: { record: ThirdParty }) {
  const translate = useTranslate();
  const redirect = useRedirect();
  // The page may read it again meanwhile; the form stays with what it began with.
  const [shown] = useState(record);
  const [values, setValues] = useState(() => fieldsOf(shown));
  const bodyOf = useBody();
  const { tppId } = shown;
  return (
    <FormPage
      title={translate('thirdParties.editTitle')}
      id={`change/${tppId}`}
      label={translate('thirdParties.save')}
      intro={translate('thirdParties.editIntro')}
      values={{ tppId, values }}
      send={async () => {
        const changed = difference(bodyOf(fieldsOf(shown)), bodyOf(values));
        if (Object.keys(changed).length === 0) return shown;
        const saved = await changeThirdParty(shown, changed);
        if (!saved) throw new Error(translate('thirdParties.changedMeanwhile'));
        return saved;
      }}
      onDone={() => redirect(`/third-parties/${tppId}/show`)}
    >
      <Fields values={values} onChange={setValues} />
    </FormPage>
  );
}

function difference(before: Change, after: Change): Change {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Change]),
  );
  return Object.fromEntries(changed) as Change;
}
