import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';

interface Named {
  readonly pk: string;
  readonly name: string;
}

interface Grant {
  readonly permission: string;
  readonly name: string;
  readonly model: string;
  readonly object_pk: string | null;
  readonly role: Named | null;
  readonly group: Named | null;
}

/** `core_users_rights_retrieve`. */
export interface Rights {
  readonly is_superuser: boolean;
  readonly superuser_groups: readonly Named[];
  readonly grants: readonly Grant[];
}

/** Rights with their origins. */
export function Grants({ rights: { superuser_groups, grants } }: { rights: Rights }) {
  return (
    <div className="stack">
      {superuser_groups.length > 0 && (
        <p>
          Holds everything as a superuser, by the group{' '}
          {superuser_groups.map(({ pk, name }, at) => (
            <span key={pk}>
              {at > 0 && ', '}
              <Link href={hrefOf(`/core/groups/${pk}/`)}>{name}</Link>
            </span>
          ))}
          .
        </p>
      )}
      {grants.length > 0 && (
        <ul className="rows" aria-label="Rights">
          {grants.map((grant) => (
            <li
              key={`${grant.permission} ${grant.object_pk} ${grant.role?.pk} ${grant.group?.pk}`}
              className="rows-row"
            >
              <div className="rows-text">
                <p>{grant.name}</p>
                <p className="quiet small">
                  <code>{grant.permission}</code>
                  {grant.object_pk !== null && ` on ${grant.object_pk}`}
                </p>
              </div>
              <p className="small">
                {grant.role && grant.group ? (
                  <>
                    by the role <Link href={hrefOf(`/rbac/roles/${grant.role.pk}/`)}>{grant.role.name}</Link> of{' '}
                    <Link href={hrefOf(`/core/groups/${grant.group.pk}/`)}>{grant.group.name}</Link>
                  </>
                ) : (
                  'granted directly'
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {superuser_groups.length === 0 && grants.length === 0 && <p className="empty">None.</p>}
    </div>
  );
}
