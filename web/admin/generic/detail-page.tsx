import { t } from '../../texts/texts.ts';
import './detail.css';
import { Loaded } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { BindingsTab, bindingsTab } from '../access/bindings-tab.tsx';
import { hrefOf, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { pathOfObject, useObject, type WholeObject } from '../api/object.ts';
import { useDescription } from '../api/use-description.ts';
import { KindIcon } from '../icons/kind-icon.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { OnOff } from '../parts/on-off.tsx';
import { Unread } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { shippedLabel } from '../shipped-labels.ts';
import { ActionButtons } from './action-buttons.tsx';
import { Changes } from './changes.tsx';
import { DeleteDialog, deleteItem } from './delete-dialog.tsx';
import { Facts } from './facts.tsx';
import { grouped } from './groups.ts';
import { Tabs } from './tabs.tsx';
import { isTechnical } from './technical.ts';
import { TryTab } from './try-tab.tsx';
import { useCrumbs } from './use-crumbs.ts';
import { UsedByTab } from './used-by.tsx';
import { WithSidePanel } from './with-side-panel.tsx';

/** One object: what it holds, what uses it, what has happened to it. */
export function DetailPage(props: ResourcePage) {
  const description = useDescription(props.entry.path, pathOfObject(props.entry, props.objectKey));
  const crumbs = useCrumbs(props.entry, true);
  if (description.answer.state === 'ready') return <Detail {...props} description={description.answer.value} />;
  return (
    <Page title={props.entry.singular} crumbs={crumbs}>
      <Loaded {...description}>{() => null}</Loaded>
    </Page>
  );
}

function Detail({ entry, objectKey, Banner, SidePanel, description }: ResourcePage & { description: Description }) {
  const { resources } = useInterface();
  const read = useObject(entry, objectKey, description);
  const crumbs = useCrumbs(entry, true);
  const { query } = useAddress();
  const bindings = bindingsTab(entry);
  const tabs = [
    { name: 'overview', title: t('Overview') },
    ...(bindings ? [bindings] : []),
    ...(isTriable(entry) && entry.may.change === 'all' ? [{ name: 'try', title: t('Try') }] : []),
    ...(description.hasUsedBy ? [{ name: 'used-by', title: t('Used by') }] : []),
    ...(resources.some(({ path }) => path === '/events/events/') ? [{ name: 'changes', title: t('Changes') }] : []),
  ];
  const tab = tabs.find(({ name }) => name === query.get('tab'))?.name ?? 'overview';
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const object = read.answer.value;
  const title = object.name;
  const label = shippedLabel(title);
  return (
    <Page
      title={label ?? title}
      intro={[entry.singular, ...(label ? [title] : [])].join(' · ')}
      state={typeof object.row.enabled === 'boolean' && <OnOff isOn={object.row.enabled} />}
      mark={<KindIcon path={entry.path} />}
      crumbs={crumbs}
      actions={<Actions {...{ entry, objectKey, object, description, title }} reload={read.reload} />}
    >
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && (
        <WithSidePanel SidePanel={SidePanel} values={object.row}>
          <div className="stack">
            {object.why !== undefined && <Notice tone="plain">{object.why}</Notice>}
            {Banner && <Banner object={object} />}
            <Overview path={entry.path} object={object} description={description} />
          </div>
        </WithSidePanel>
      )}
      {tab === 'bindings' && <BindingsTab entry={entry} object={object} />}
      {tab === 'try' && entry.family && <TryTab family={entry.family} objectKey={object.pk} />}
      {tab === 'used-by' && <UsedByTab entry={entry} objectKey={objectKey} />}
      {tab === 'changes' && <Changes entry={entry} pk={object.pk} />}
    </Page>
  );
}

/** Families with a test operation. */
const isTriable = ({ family }: ResourceEntry): boolean =>
  family === '/policies/all/' || family === '/propertymappings/all/';

interface ActionsProps {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  readonly object: WholeObject;
  readonly description: Description;
  readonly title: string;
  reload(): Promise<void>;
}

function Actions({ entry, objectKey, object: { may }, description, title, reload }: ActionsProps) {
  const canChange = may.includes('change') && description.changing !== null && entry.may.change !== 'none';
  const canDelete = may.includes('delete') && entry.may.delete !== 'none';
  return (
    <>
      <ActionButtons
        {...{ entry, description, objectKey }}
        held={may}
        further={canDelete ? [deleteItem()] : []}
        onDone={reload}
      />
      {canDelete && (
        <DeleteDialog entry={entry} objectKey={objectKey} title={title} hasUsedBy={description.hasUsedBy} />
      )}
      {canChange && (
        <Link className="button button-primary" href={hrefOf(`/edit${entry.path}${encodeURIComponent(objectKey)}/`)}>
          {t('Edit')}
        </Link>
      )}
    </>
  );
}

/** Members that the page shows elsewhere. */
const unremarkable = /^(verbose_name|verbose_name_plural|mode_verbose)$/;

/** What else is for programs, of resources that have words for it. */
const told: Readonly<Record<string, ReadonlySet<string>>> = {
  '/events/events/': new Set(['app', 'context', 'sentence']),
  '/core/authenticated_sessions/': new Set(['last_user_agent']),
};

function Overview({ path, object, description }: { path: string; object: WholeObject; description: Description }) {
  const names = new Set(description.shown.map(({ name }) => name));
  const members = description.shown.filter(
    // A reference shows the name of its object, so the embedded object would repeat it.
    ({ name }) => !unremarkable.test(name) && !(name.endsWith('_obj') && names.has(name.slice(0, -'_obj'.length))),
  );
  const isAside = (member: Member) => isTechnical(member) || told[path]?.has(member.name) === true;
  const technical = members.filter(isAside);
  return (
    <div className="stack">
      {grouped(members.filter((member) => !isAside(member))).map(([group, inner]) => (
        <section key={group} className="card stack" aria-label={group || t('Details')}>
          {group && <h2>{group}</h2>}
          <Facts {...object} members={inner} />
        </section>
      ))}
      {technical.length > 0 && (
        <details className="card">
          <summary>{t('Technical details')}</summary>
          <Facts {...object} members={technical} />
        </details>
      )}
    </div>
  );
}
