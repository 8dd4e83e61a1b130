import { useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { PaginatedUserList } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import type { NamedObject } from '../api/objects.ts';
import { Face } from '../icons/face.tsx';
import { Link } from '../link.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

interface Props {
  readonly group: { readonly pk: string; readonly name: string };
  /** What the caller may do with it. */
  readonly may: NamedObject['may'];
}

/** Who is in a group; people are added and removed here. */
export function MembersTab({ group: { pk, name }, may }: Props) {
  const done = useToast();
  const [problem, setProblem] = useState<string | null>(null);
  const read = useAnswer<PaginatedUserList>(`/core/users/?groups_by_pk=${pk}&include_groups=false&page_size=100`);
  async function add(key: string | null): Promise<void> {
    if (key === null) return;
    setProblem(null);
    try {
      await apiFetch('POST', `/core/groups/${pk}/add_user/`, { pk: Number(key) });
      await read.reload();
      done(t('A member is added to {group}.', { group: name }));
    } catch (caught) {
      setProblem(errorMessage(caught));
    }
  }
  return (
    <div className="stack">
      {may.includes('svc_core.add_user_to_group') && (
        <div className="people-add">
          <ReferencePicker label={t('Add a member')} model="svc_core.user" value={null} onChange={add} />
        </div>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Loaded {...read}>
        {({ results, pagination }) => (
          <>
            {results.length === 0 && <p className="empty">{t('Nobody is in this group.')}</p>}
            {results.length > 0 && (
              <ul className="rows" aria-label={t('Members')}>
                {results.map((person) => (
                  <li key={person.pk} className="rows-row">
                    <Face name={person.name || person.username} picture={person.avatar} />
                    <div className="rows-text">
                      <p>
                        <Link href={hrefOf(`/core/users/${person.pk}/`)}>{person.username}</Link>{' '}
                        {!person.is_active && <span className="tag">{t('Not active')}</span>}
                      </p>
                      <p className="quiet small">{person.name}</p>
                    </div>
                    {may.includes('svc_core.remove_user_from_group') && (
                      <ConfirmButton
                        about={person.username}
                        question={t('Remove {name} from {group}?', { name: person.username, group: name })}
                        consequence={<p>{t('They lose the access and the roles that the group grants.')}</p>}
                        confirm={t('Remove')}
                        onConfirm={async () => {
                          await apiFetch('POST', `/core/groups/${pk}/remove_user/`, { pk: person.pk });
                          await read.reload();
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
            {pagination.count > results.length && (
              <p>
                <Link href={hrefOf('/core/users/', { groups_by_pk: pk })}>
                  {t('All {count, plural, one {# member} other {# members}}', { count: pagination.count })}
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}
