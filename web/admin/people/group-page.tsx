import type { Group } from '../../api/types.ts';
import '../generic/detail.css';
import './people.css';
import { Code } from '../../elements/code.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { useEntry, useInterface } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { Names } from '../api/objects.ts';
import { usePage } from '../api/pages.ts';
import { Changes } from '../generic/changes.tsx';
import { DeleteDialog, deleteItem } from '../generic/delete-dialog.tsx';
import { Tabs } from '../generic/tabs.tsx';
import { UsedByTab } from '../generic/used-by.tsx';
import { KindIcon } from '../icons/kind-icon.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { ActionMenu } from '../parts/menu.tsx';
import { Unread } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { GiveRoleDialog, giveRoleItem } from './give-role-dialog.tsx';
import { MembersTab } from './members-tab.tsx';

/** A group, what it brings, and who is in it. */
export function GroupPage({ entry, objectKey }: ResourcePage) {
  const read = usePage<Group>(`${pathOfObject(entry, objectKey)}?include_users=false`);
  const { resources } = useInterface();
  const { query } = useAddress();
  const mayAddRoles = useEntry('/rbac/roles/')?.may.add === 'all';
  const has = (path: string) => resources.some((other) => other.path === path);
  const crumbs = [{ text: entry.plural, href: hrefOf(entry.path) }];
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const { answer: group, names } = read.answer.value;
  const may = names(entry.model, group.pk)?.may ?? [];
  const tabs = [
    { name: 'overview', title: t('Overview') },
    ...(has('/core/users/') ? [{ name: 'members', title: t('Members') }] : []),
    { name: 'used-by', title: t('Used by') },
    ...(has('/events/events/') ? [{ name: 'changes', title: t('Changes') }] : []),
  ];
  const tab = tabs.find(({ name }) => name === query.get('tab'))?.name ?? 'overview';
  const canGive = mayAddRoles && may.includes('change');
  return (
    <Page
      title={group.name}
      intro={entry.singular}
      state={group.is_superuser && <span className="tag tag-warning">{t('Superuser')}</span>}
      mark={<KindIcon path={entry.path} />}
      crumbs={crumbs}
      actions={
        <>
          <ActionMenu
            items={[...(canGive ? [giveRoleItem()] : []), ...(may.includes('delete') ? [deleteItem()] : [])]}
          />
          {may.includes('delete') && (
            <DeleteDialog {...{ entry, objectKey }} title={group.name} isSuperuser={group.is_superuser} hasUsedBy />
          )}
          {canGive && <GiveRoleDialog group={group} reload={read.reload} />}
          {may.includes('change') && (
            <Link className="button button-primary" href={hrefOf(`/edit${entry.path}${group.pk}/`)}>
              {t('Edit')}
            </Link>
          )}
        </>
      }
    >
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && <Overview group={group} names={names} />}
      {tab === 'members' && <MembersTab group={group} may={may} />}
      {tab === 'used-by' && <UsedByTab entry={entry} objectKey={objectKey} />}
      {tab === 'changes' && <Changes entry={entry} pk={group.pk} />}
    </Page>
  );
}

function Overview({ group, names }: { group: Group; names: Names }) {
  const linked = (model: string, key: string) => {
    const found = names(model, key);
    return found ? <Link href={hrefOf(found.path)}>{found.name}</Link> : key;
  };
  return (
    <section className="card stack" aria-label={t('Overview')}>
      <dl className="facts">
        <div>
          <dt>{t('Superuser')}</dt>
          <dd>{t(group.is_superuser ? 'Yes: members hold every right' : 'No')}</dd>
        </div>
        <div>
          <dt>{t('Parent')}</dt>
          <dd>{group.parent ? linked('svc_core.group', group.parent) : t('None')}</dd>
        </div>
        <div>
          <dt>{t('Roles')}</dt>
          <dd>
            {group.roles.length === 0 && t('None')}
            <ul className="plain-list">
              {group.roles.map((pk) => (
                <li key={pk}>{linked('svc_rbac.role', pk)}</li>
              ))}
            </ul>
          </dd>
        </div>
      </dl>
      {Object.keys(group.attributes).length > 0 && <Code text={JSON.stringify(group.attributes, null, 2)} />}
    </section>
  );
}
