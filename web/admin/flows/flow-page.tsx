import type { FlowDesign } from '../../api/types.ts';
import '../generic/detail.css';
import '../generic/form.css';
import './flows.css';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf, useAddress } from '../address.ts';
import { useHeld, useInterface } from '../api/interface.ts';
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
import { shippedLabel } from '../shipped-labels.ts';
import { purposeOf, useCanDesign, useDesign } from './design.ts';
import { Designer } from './designer.tsx';
import { Diagram } from './diagram.tsx';
import { ObjectBeside } from './object-beside.tsx';
import { TryTab } from './try-tab.tsx';

/** A flow: designer, diagram, test run and settings. */
export function FlowPage({ entry, objectKey }: ResourcePage) {
  const read = useDesign(objectKey);
  const canChange = useCanDesign(read.answer.state === 'ready' ? read.answer.value : null);
  const { resources } = useInterface();
  const held = useHeld();
  const { query } = useAddress();
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const design = read.answer.value;
  const download = `/api/v3${entry.path}${encodeURIComponent(design.slug)}/export/`;
  const canDelete = entry.may.delete === 'all' && design.locked === null;
  const tabs = [
    { name: 'designer', title: t('Designer') },
    { name: 'diagram', title: t('Diagram') },
    { name: 'try', title: t('Try it') },
    ...(canChange ? [{ name: 'settings', title: t('Settings') }] : []),
    { name: 'used-by', title: t('Used by') },
    ...(resources.some(({ path }) => path === '/events/events/') ? [{ name: 'changes', title: t('Changes') }] : []),
  ];
  const tab = tabs.find(({ name }) => name === query.get('tab'))?.name ?? 'designer';
  return (
    <Page
      title={shippedLabel(design.name, design.slug) ?? design.name}
      intro={`${purposeOf(design)} · ${design.slug}`}
      mark={<KindIcon path={entry.path} />}
      crumbs={[{ text: entry.plural, href: hrefOf(entry.path) }]}
      actions={
        <>
          <ActionMenu
            items={[
              ...(held('svc_flows.export_flow') ? [{ name: 'export', title: t('Export'), download }] : []),
              ...(canDelete ? [deleteItem()] : []),
            ]}
          />
          {canDelete && <DeleteDialog entry={entry} objectKey={objectKey} title={design.name} hasUsedBy />}
          {canChange && (
            <Link
              className="button button-primary"
              href={hrefOf(`/edit${entry.path}${encodeURIComponent(objectKey)}/`)}
            >
              {t('Edit')}
            </Link>
          )}
        </>
      }
    >
      {design.locked !== null && <Notice tone="plain">{design.locked}</Notice>}
      <Tabs tabs={tabs} current={tab} />
      {tab === 'designer' && <Designer design={design} reload={read.reload} />}
      {tab === 'diagram' && <Diagram design={design} />}
      {tab === 'try' && <TryTab design={design} />}
      {tab === 'settings' && <SettingsTab design={design} path={entry.path} reload={read.reload} />}
      {tab === 'used-by' && <UsedByTab entry={entry} objectKey={objectKey} />}
      {tab === 'changes' && <Changes entry={entry} pk={design.pk} />}
    </Page>
  );
}

interface SettingsProps {
  readonly design: FlowDesign;
  readonly path: string;
  reload(): Promise<void>;
}

function SettingsTab({ design, path, reload }: SettingsProps) {
  const done = useToast();
  return (
    <ObjectBeside
      path={path}
      objectKey={design.slug}
      name={design.name}
      submit={t('Save')}
      onSaved={async (row) => {
        if (row.slug !== design.slug)
          goTo(hrefOf(`${path}${encodeURIComponent(String(row.slug))}/`, { tab: 'settings' }));
        else await reload();
        done(t('{name} is saved.', { name: design.name }));
      }}
    />
  );
}
