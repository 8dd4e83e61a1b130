import { useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useHeld } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';
import type { Group } from './group-page.tsx';
import type { Person } from './person.ts';

interface Members {
  readonly results: readonly Pick<Person, 'pk' | 'username' | 'name' | 'is_active'>[];
  readonly pagination: { readonly count: number };
}

/** Who is in a group; people are added and removed here. */
export function MembersTab({ group: { pk, name } }: { group: Group }) {
  const held = useHeld();
  const done = useDone();
  const [problem, setProblem] = useState<string | null>(null);
  const read = useAnswer<Members>(`/core/users/?groups_by_pk=${pk}&include_groups=false&page_size=100`);
  async function add(key: string | null): Promise<void> {
    if (key === null) return;
    setProblem(null);
    try {
      await callAsPerson('POST', `/core/groups/${pk}/add_user/`, { pk: Number(key) });
      await read.reload();
      done(`A member is added to ${name}.`);
    } catch (caught) {
      setProblem(wordsOf(caught));
    }
  }
  return (
    <div className="stack">
      {held('svc_core.add_user_to_group') && (
        <div className="people-add">
          <ReferencePicker label="Add a member" model="svc_core.user" value={null} onChange={add} />
        </div>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Loaded {...read}>
        {({ results, pagination }) => (
          <>
            {results.length === 0 && <p className="empty">Nobody is in this group.</p>}
            {results.length > 0 && (
              <ul className="rows" aria-label="Members">
                {results.map((person) => (
                  <li key={person.pk} className="rows-row">
                    <div className="rows-text">
                      <p>
                        <Link href={hrefOf(`/core/users/${person.pk}/`)}>{person.username}</Link>{' '}
                        {!person.is_active && <span className="tag">Not active</span>}
                      </p>
                      <p className="quiet small">{person.name}</p>
                    </div>
                    {held('svc_core.remove_user_from_group') && (
                      <ConfirmButton
                        about={person.username}
                        question={`Remove ${person.username} from ${name}?`}
                        consequence={<p>They lose the access and the roles that the group brings.</p>}
                        confirm="Remove"
                        onConfirm={async () => {
                          await callAsPerson('POST', `/core/groups/${pk}/remove_user/`, { pk: person.pk });
                          await read.reload();
                          done(`${person.username} has left ${name}.`);
                        }}
                      >
                        Remove
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
