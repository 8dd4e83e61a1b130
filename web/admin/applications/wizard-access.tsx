import { type FormEvent, useCallback, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { PaginatedFlowList } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { ReferencesPicker } from '../widgets/references-picker.tsx';

interface Props {
  /** People who sign in at the application's own form are not asked here. */
  readonly canAskConsent: boolean;
  readonly isBusy: boolean;
  /** The authorization flow; null is the one that asks for consent. */
  onCreate(flow: string | null): void;
  onBack(): void;
}

const withoutConsent = 'default-provider-authorization-implicit-consent';

/** The key of the shipped flow that does not ask for consent; undefined if the caller cannot choose it. */
function useFlowWithoutConsent(isWanted: boolean): string | undefined {
  const { resources } = useInterface();
  const isReadable = isWanted && resources.some(({ path }) => path === '/flows/instances/');
  const { answer } = useLoadable(
    useCallback(async () => {
      if (!isReadable) return [];
      const query = new URLSearchParams({ slug: withoutConsent });
      return (await apiFetch<PaginatedFlowList>('GET', `/flows/instances/?${query}`)).results;
    }, [isReadable]),
  );
  return answer.state === 'ready' ? answer.value.find(({ enabled }) => enabled)?.pk : undefined;
}

/**
 * Everybody, or the members of groups, and whether they are asked for consent; the answer is in the address, so that it
 * outlives the step.
 */
export function AccessStep({ canAskConsent, isBusy, onCreate, onBack }: Props) {
  const { resources } = useInterface();
  const { query } = useAddress();
  const isOpen = query.get('who') !== 'groups';
  const groups = query.getAll('group');
  const asksConsent = query.get('consent') === 'ask';
  const flow = useFlowWithoutConsent(canAskConsent);
  const answer = (changes: { who: 'groups' | null } | { group: readonly string[] } | { consent: 'ask' | null }) =>
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
    if (isOpen || groups.length > 0) onCreate(asksConsent ? null : (flow ?? null));
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
      {flow && (
        <fieldset className="field">
          <legend>{t('Should people be asked for consent?')}</legend>
          <label className="choice">
            <input type="radio" name="consent" checked={!asksConsent} onChange={() => answer({ consent: null })} />
            <span>{t('No, it is our own application')}</span>
          </label>
          <label className="choice">
            <input type="radio" name="consent" checked={asksConsent} onChange={() => answer({ consent: 'ask' })} />
            <span>{t('Yes, before it gets their data')}</span>
          </label>
        </fieldset>
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
