import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Grants, type Rights } from './grants.tsx';

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
                <>
                  <strong>Yes,</strong> on all objects.
                </>
              ) : found.grants.length > 0 ? (
                'On some objects only.'
              ) : (
                <>
                  <strong>No.</strong> Nothing brings {permission}.
                </>
              )}
            </Notice>
            <Grants rights={found} />
          </div>
        );
      }}
    </Loaded>
  );
}
