import type { UserRights } from '../../api/types.ts';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { permissionName } from '../labels.ts';
import { Link } from '../link.tsx';
import { useNameOf } from '../widgets/use-name-of.ts';

/** The object of a permission; by its key if the user cannot view it. */
const ObjectName = ({ model, pk }: { model: string; pk: string }) => <bdi>{useNameOf(model, [pk])(pk)}</bdi>;

/** Rights with their origins. */
export function Grants({ rights: { superuser_groups, grants } }: { rights: UserRights }) {
  return (
    <div className="stack">
      {superuser_groups.length > 0 && (
        <p>
          <Rich
            text="Holds everything as a superuser, by the group {groups}."
            values={{
              groups: superuser_groups.map(({ pk, name }, at) => (
                <span key={pk}>
                  {at > 0 && t(', ')}
                  <Link href={hrefOf(`/core/groups/${pk}/`)}>{name}</Link>
                </span>
              )),
            }}
          />
        </p>
      )}
      {grants.length > 0 && (
        <ul className="rows" aria-label={t('Rights')}>
          {grants.map((grant) => (
            <li
              key={`${grant.permission} ${grant.object_pk} ${grant.role?.pk} ${grant.group?.pk}`}
              className="rows-row"
            >
              <div className="rows-text">
                <p>{permissionName(grant.name)}</p>
                <p className="quiet small">
                  {grant.object_pk === null ? (
                    <code>{grant.permission}</code>
                  ) : (
                    <Rich
                      text="<code>{permission}</code> on {object}"
                      values={{
                        permission: grant.permission,
                        object: <ObjectName key="object" model={grant.model} pk={grant.object_pk} />,
                        code: (words) => <code>{words}</code>,
                      }}
                    />
                  )}
                </p>
              </div>
              <p className="small">
                {grant.role && grant.group ? (
                  <Rich
                    text="by the role {role} of {group}"
                    values={{
                      role: (
                        <Link key="role" href={hrefOf(`/rbac/roles/${grant.role.pk}/`)}>
                          {grant.role.name}
                        </Link>
                      ),
                      group: (
                        <Link key="group" href={hrefOf(`/core/groups/${grant.group.pk}/`)}>
                          {grant.group.name}
                        </Link>
                      ),
                    }}
                  />
                ) : (
                  t('granted directly')
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {superuser_groups.length === 0 && grants.length === 0 && <p className="empty">{t('None.')}</p>}
    </div>
  );
}
