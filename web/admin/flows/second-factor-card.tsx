import { useState } from 'react';
import { apiRequest } from '../../api/call.ts';
import type { SecondFactorRequirement } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { RadioGroup } from '../../elements/choice.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { isSame } from '../generic/body.ts';
import { ReferencesPicker } from '../widgets/references-picker.tsx';
import { Places } from './places.tsx';

const path = '/flows/second_factor/';

interface Props {
  readonly stored: SecondFactorRequirement;
  reload(): Promise<void>;
}

/** Of whom sign-in requires a second factor. */
export function SecondFactorCard({ stored, reload }: Props) {
  const [require, setRequire] = useState<string>(stored.require);
  const [groups, setGroups] = useState<readonly (string | number)[]>(stored.groups);
  const { isBusy, problem, attempt } = useAttempt();
  const announce = useToast();
  const isChanged = require !== stored.require || (require === 'groups' && groups.join() !== stored.groups.join());
  const isWhole = require !== 'groups' || groups.length > 0;
  const save = () =>
    attempt(async () => {
      const now = await apiRequest<SecondFactorRequirement>('GET', path);
      const isStale = !isSame(now.value, stored);
      if (!isStale) await apiRequest('PUT', path, { body: { require, groups }, headers: { 'if-match': now.etag } });
      await reload();
      announce(
        isStale
          ? t('Someone else has changed this in the meantime')
          : t('The requirement is saved. It applies from the next sign-in.'),
      );
    });
  return (
    <li className="card stack-tight ready-made">
      <h2>{t('Require a second factor')}</h2>
      <p>{t('Users without a second factor set one up at their next sign-in, at a source too.')}</p>
      {stored.require === 'custom' && (
        <Notice tone="plain">
          {t('The flows have requirements of their own. A choice here sets all of them alike.')}
        </Notice>
      )}
      <RadioGroup
        label={t('Required of')}
        name="require"
        defaultValue={stored.require}
        onChange={setRequire}
        choices={[
          { value: 'none', label: t('No users') },
          { value: 'administrators', label: t('Administrators') },
          { value: 'groups', label: t('Members of groups') },
          { value: 'everybody', label: t('All users') },
        ]}
      />
      {require === 'groups' && (
        <ReferencesPicker
          label={t('Groups')}
          model="svc_core.group"
          value={groups}
          isNumber={false}
          onChange={setGroups}
        />
      )}
      <Places label={t('Flows')} places={stored.places} />
      {problem && <Notice tone="bad">{problem}</Notice>}
      {isChanged && isWhole && (
        <div className="row">
          <Button look="primary" isBusy={isBusy} onClick={() => void save()}>
            {t('Save')}
          </Button>
        </div>
      )}
    </li>
  );
}
