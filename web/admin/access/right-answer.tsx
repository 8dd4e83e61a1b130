import type { ReactNode } from 'react';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { Grants, type Rights } from './grants.tsx';

const strong = (words: ReactNode[]) => <strong>{words}</strong>;

/** Whether somebody holds a permission, and by what. */
export function RightAnswer({ person, permission }: { person: string; permission: string }) {
  const query = new URLSearchParams({ permission });
  const rights = useAnswer<Rights>(`/core/users/${encodeURIComponent(person)}/rights/?${query}`);
  return (
    <Loaded {...rights}>
      {(found) => {
        const isEverywhere = found.is_superuser || found.grants.some(({ object_pk }) => object_pk === null);
        return (
          <div className="stack">
            <Notice tone={isEverywhere ? 'good' : found.grants.length > 0 ? 'warn' : 'bad'}>
              {isEverywhere ? (
                <Rich text="<b>Yes,</b> on all objects." values={{ b: strong }} />
              ) : found.grants.length > 0 ? (
                t('On some objects only.')
              ) : (
                <Rich text="<b>No.</b> Nothing brings {permission}." values={{ permission, b: strong }} />
              )}
            </Notice>
            <Grants rights={found} />
          </div>
        );
      }}
    </Loaded>
  );
}
