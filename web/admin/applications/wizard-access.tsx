import { type FormEvent, useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { ReferencesPicker } from '../widgets/references-picker.tsx';

interface Props {
  readonly isBusy: boolean;
  onCreate(): void;
  onBack(): void;
}

/** Everybody, or the members of groups; the answer is in the address, so that it outlives the step. */
export function AccessStep({ isBusy, onCreate, onBack }: Props) {
  const { resources } = useInterface();
  const { query } = useAddress();
  const isOpen = query.get('who') !== 'groups';
  const groups = query.getAll('group');
  const answer = (changes: { who: 'groups' | null } | { group: readonly string[] }) =>
    goTo(hereWith(changes), { replace: true });
  const [isSent, setSent] = useState(false);
  const may = (path: string) => resources.find((entry) => entry.path === path)?.may;
  const canLimit =
    may('/policies/bindings/')?.add === 'all' &&
    may('/core/applications/')?.change === 'all' &&
    may('/core/groups/') !== undefined;
  function create(event: FormEvent): void {
    event.preventDefault();
    setSent(true);
    if (isOpen || groups.length > 0) onCreate();
  }
  return (
    <form className="card wizard-form" noValidate onSubmit={create}>
      <fieldset className="field">
        <legend>{t('Who may use it?')}</legend>
        <label className="choice">
          <input type="radio" name="who" checked={isOpen} onChange={() => answer({ who: null })} />
          <span>{t('Everybody who can sign in')}</span>
        </label>
        {(canLimit || !isOpen) && (
          <label className="choice">
            <input type="radio" name="who" checked={!isOpen} onChange={() => answer({ who: 'groups' })} />
            <span>{t('Members of groups')}</span>
          </label>
        )}
      </fieldset>
      {!canLimit && (
        <p className="quiet small">{t('To limit it to groups, you need permission to add policy bindings.')}</p>
      )}
      {!isOpen && (
        <ReferencesPicker
          label={t('Groups')}
          hint={t('Members of one of them may use it.')}
          errors={isSent && groups.length === 0 ? [t('Choose a group.')] : []}
          model="svc_core.group"
          isNumber={false}
          value={groups}
          onChange={(keys) => answer({ group: keys.map(String) })}
        />
      )}
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('Create')}
        </Button>
        <Button onClick={onBack}>{t('Back')}</Button>
      </div>
    </form>
  );
}
