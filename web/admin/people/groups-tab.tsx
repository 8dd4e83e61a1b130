import { useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { User } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useHeld } from '../api/interface.ts';
import type { Names } from '../api/objects.ts';
import { Link } from '../link.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

const joining = 'svc_core.add_user_to_group';

/** The groups of a person; they join and leave here. */
export function GroupsTab({ person, names, reload }: { person: User; names: Names; reload(): Promise<void> }) {
  const held = useHeld();
  const [problem, setProblem] = useState<string | null>(null);
  const done = useToast();
  const groups = person.groups_obj ?? [];
  async function join(pk: string | null): Promise<void> {
    if (pk === null) return;
    setProblem(null);
    try {
      await apiFetch('POST', `/core/groups/${pk}/add_user/`, { pk: person.pk });
      await reload();
      done(t('{name} has joined the group.', { name: person.username }));
    } catch (caught) {
      setProblem(errorMessage(caught));
    }
  }
  return (
    <div className="stack">
      {groups.length === 0 && <p className="empty">{t('In no group.')}</p>}
      {groups.length > 0 && (
        <ul className="rows" aria-label={t('Groups')}>
          {groups.map(({ pk, name, is_superuser }) => (
            <li key={pk} className="rows-row">
              <p className="rows-text">
                <span>
                  <Link href={hrefOf(`/core/groups/${pk}/`)}>{name}</Link>{' '}
                  {is_superuser && <span className="tag tag-warning">{t('Superusers')}</span>}
                </span>
              </p>
              {names('svc_core.group', pk)?.may.includes('svc_core.remove_user_from_group') && (
                <ConfirmButton
                  about={t('from {group}', { group: name })}
                  question={t('Remove {name} from {group}?', { name: person.username, group: name })}
                  consequence={<p>{t('They lose the access and the roles that the group grants.')}</p>}
                  confirm={t('Remove')}
                  onConfirm={async () => {
                    await apiFetch('POST', `/core/groups/${pk}/remove_user/`, { pk: person.pk });
                    await reload();
                    done(t('{name} has left {group}.', { name: person.username, group: name }));
                  }}
                >
                  {t('Remove')}
                </ConfirmButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {held(joining) && (
        <div className="people-add">
          <ReferencePicker
            label={t('Add to a group')}
            model="svc_core.group"
            takes={joining}
            value={null}
            onChange={join}
          />
        </div>
      )}
    </div>
  );
}
