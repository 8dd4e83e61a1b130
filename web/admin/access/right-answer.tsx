import type { ReactNode } from 'react';
import type { UserRights } from '../../api/types.ts';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { Grants } from './grants.tsx';

const strong = (words: ReactNode[]) => <strong>{words}</strong>;

/** Whether a user holds a permission, and by which roles. */
export function RightAnswer({ person, permission }: { person: string; permission: string }) {
  const query = new URLSearchParams({ permission });
  const rights = useAnswer<UserRights>(`/core/users/${encodeURIComponent(person)}/rights/?${query}`);
  return (
    <Loaded {...rights}>
      {(found) => (
        <div className="stack">
          <Verdict rights={found} permission={permission} />
          <Grants rights={found} />
        </div>
      )}
    </Loaded>
  );
}

function Verdict({ rights: { is_superuser, grants }, permission }: { rights: UserRights; permission: string }) {
  if (is_superuser || grants.some(({ object_pk }) => object_pk === null))
    return (
      <Notice tone="good">
        <Rich text="<b>Yes,</b> on all objects." values={{ b: strong }} />
      </Notice>
    );
  if (grants.length > 0) return <Notice tone="warn">{t('On some objects only.')}</Notice>;
  return (
    <Notice tone="bad">
      <Rich text="<b>No.</b> Nothing grants {permission}." values={{ permission, b: strong }} />
    </Notice>
  );
}
