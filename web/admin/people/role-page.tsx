import type { Permission } from '../../api/types.ts';
import '../generic/detail.css';
import '../generic/list.css';
import './people.css';
import { use, useCallback } from 'react';
import { useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { useEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { PagesContext } from '../api/pages.ts';
import { DeleteDialog, deleteItem } from '../generic/delete-dialog.tsx';
import { DetailPage } from '../generic/detail-page.tsx';
import { Tabs } from '../generic/tabs.tsx';
import { UsedByTab } from '../generic/used-by.tsx';
import { KindIcon } from '../icons/kind-icon.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { ActionMenu } from '../parts/menu.tsx';
import { Unread } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { RoleMatrix } from './role-matrix.tsx';

type Permissions = { readonly results: readonly Permission[] };

/** A role; for those who may see permissions with its matrix. */
export function RolePage(props: ResourcePage) {
  return useEntry('/rbac/permissions/') ? <RoleWithMatrix {...props} /> : <DetailPage {...props} />;
}

/** A role as a matrix: models by what may be done with their objects. */
function RoleWithMatrix({ entry, objectKey }: ResourcePage) {
  const pages = use(PagesContext);
  const read = useLoadable(
    useCallback(async () => {
      const [role, all, held] = await Promise.all([
        pages.read<{ pk: string; name: string }>(pathOfObject(entry, objectKey)),
        pages.read<Permissions>('/rbac/permissions/?page_size=1000&ordering=model'),
        pages.read<Permissions>(`/rbac/permissions/?page_size=1000&role=${encodeURIComponent(objectKey)}`),
      ]);
      const may = role.names(entry.model, role.answer.pk)?.may ?? [];
      return { role: role.answer, may, all: all.answer.results, held: held.answer.results };
    }, [pages, entry, objectKey]),
  );
  const { query } = useAddress();
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const { role, may, all, held } = read.answer.value;
  const tab = query.get('tab') === 'used-by' ? 'used-by' : 'permissions';
  const tabs = [
    { name: 'permissions', title: t('Permissions') },
    { name: 'used-by', title: t('Used by') },
  ];
  return (
    <Page
      title={role.name}
      intro={`${entry.singular} · ${t('what members of its groups may do')}`}
      mark={<KindIcon path={entry.path} />}
      crumbs={[{ text: entry.plural, href: hrefOf(entry.path) }]}
      actions={
        <>
          <ActionMenu items={may.includes('delete') ? [deleteItem()] : []} />
          {may.includes('delete') && <DeleteDialog entry={entry} objectKey={objectKey} title={role.name} hasUsedBy />}
          {may.includes('change') && (
            <Link className="button button-primary" href={hrefOf(`/edit${entry.path}${role.pk}/`)}>
              {t('Edit')}
            </Link>
          )}
        </>
      }
    >
      <Tabs tabs={tabs} current={tab} />
      {tab === 'used-by' && <UsedByTab entry={entry} objectKey={objectKey} />}
      {tab === 'permissions' && (
        <>
          <dl className="facts card">
            <div>
              <dt>{t('Permissions')}</dt>
              <dd>
                {held.length === 0 ? t('None') : t('{count, number} on all objects of a kind', { count: held.length })}
              </dd>
            </div>
          </dl>
          <RoleMatrix role={role} all={all} held={held} may={may} reload={read.reload} />
        </>
      )}
    </Page>
  );
}
