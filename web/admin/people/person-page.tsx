import type { AdminInterface } from '../../api/types.ts';
import { type Text, t } from '../../texts/texts.ts';
import '../generic/detail.css';
import './people.css';
import { hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Changes } from '../generic/changes.tsx';
import { DeleteDialog } from '../generic/delete-dialog.tsx';
import { FoldedUses } from '../generic/folded-uses.tsx';
import { sharedTab, type TabGroup, Tabs, tabAt } from '../generic/tabs.tsx';
import { Face } from '../icons/face.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { EventRows } from '../parts/event-rows.tsx';
import { Unread } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { ApplicationsTab } from './applications-tab.tsx';
import { Connections, Consents, Devices, Sessions, Tokens } from './belongings.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { usePerson } from './person.ts';
import { PersonActions } from './person-actions.tsx';
import { PersonOverview } from './person-overview.tsx';
import { RightsTab } from './rights-tab.tsx';

/** One person with everything that is theirs. */
export function PersonPage({ entry, objectKey }: ResourcePage) {
  const read = usePerson(entry, objectKey);
  const known = useInterface();
  const { query } = useAddress();
  const crumbs = [{ text: entry.plural, href: hrefOf(entry.path) }];
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const { person, may, names, canSwitch } = read.answer.value;
  const tabs = tabsFor(known);
  const tab = tabAt(tabs, query.get('tab'));
  return (
    <Page
      title={person.username}
      intro={`${entry.singular} · ${person.name || t('no name')}`}
      state={
        <>
          <span className={person.is_active ? 'tag tag-good' : 'tag tag-alert'}>
            {t(person.is_active ? 'Active' : 'Not active: cannot sign in')}
          </span>
          {person.is_superuser && <span className="tag tag-warning">{t('Superuser')}</span>}
        </>
      }
      mark={<Face name={person.name || person.username} picture={person.avatar} isLarge />}
      crumbs={[...crumbs, { text: person.path, href: hrefOf(entry.path, { folder: person.path }) }]}
      actions={
        <>
          <PersonActions person={person} may={may} canSwitch={canSwitch} reload={read.reload} />
          {may.includes('delete') && (
            <DeleteDialog
              {...{ entry, objectKey }}
              title={person.username}
              isSuperuser={person.is_superuser}
              hasUsedBy
            />
          )}
          {may.includes('change') && (
            <Link className="button button-primary" href={hrefOf(`/edit${entry.path}${person.pk}/`)}>
              {t('Edit')}
            </Link>
          )}
        </>
      }
    >
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && (
        <div className="stack">
          <PersonOverview person={person} may={may} />
          <FoldedUses entry={entry} objectKey={objectKey} />
        </div>
      )}
      {tab === 'groups' && <GroupsTab person={person} names={names} reload={read.reload} />}
      {tab === 'rights' && <RightsTab person={person} />}
      {tab === 'applications' && <ApplicationsTab person={person} />}
      {tab === 'sessions' && <Sessions person={person} />}
      {tab === 'devices' && <Devices person={person} />}
      {tab === 'tokens' && <Tokens person={person} />}
      {tab === 'consents' && <Consents person={person} />}
      {tab === 'connections' && <Connections person={person} />}
      {tab === 'events' && <EventRows query={{ username: person.username }} none={t('No events are recorded.')} />}
      {tab === 'changes' && <Changes entry={entry} pk={String(person.pk)} />}
    </Page>
  );
}

/** What the caller may see of a person. */
function tabsFor({ actions, resources, user }: AdminInterface): TabGroup[] {
  const extent = (path: string) => resources.find((entry) => entry.path === path)?.may.view;
  const ifSeen = (path: string, name: string, title: Text) => (extent(path) ? [{ name, title: t(title) }] : []);
  return [
    { name: 'overview', title: t('Overview') },
    ...sharedTab(t('Groups and rights'), [
      { name: 'groups', title: t('Groups') },
      ...(extent('/rbac/roles/') === 'all' && extent('/core/groups/') === 'all'
        ? [{ name: 'rights', title: t('Rights') }]
        : []),
    ]),
    ...sharedTab(t('Applications'), [
      ...(actions.includes('svc_core.view_user_applications')
        ? ifSeen('/core/applications/', 'applications', 'May open')
        : []),
      ...ifSeen('/core/user_consent/', 'consents', 'Consents'),
    ]),
    ...ifSeen('/core/authenticated_sessions/', 'sessions', 'Sessions'),
    ...sharedTab(t('Ways to sign in'), [
      ...(user.is_superuser ? [{ name: 'devices', title: t('Devices') }] : []),
      ...ifSeen('/core/tokens/', 'tokens', 'Tokens'),
      ...ifSeen('/sources/user_connections/all/', 'connections', 'Connections'),
    ]),
    ...sharedTab(t('History'), [
      ...ifSeen('/events/events/', 'events', 'Events'),
      ...ifSeen('/events/events/', 'changes', 'Changes'),
    ]),
  ];
}
