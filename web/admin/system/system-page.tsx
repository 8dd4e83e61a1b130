import type { Maintenance } from '../../api/types.ts';
import '../generic/detail.css';
import './system.css';
import type { ComponentType } from 'react';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { sharedTab, Tabs, tabAt } from '../generic/tabs.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { AllSettings } from '../pages/settings.tsx';
import { Attention } from './attention.tsx';
import { Certificates, Connections, Jobs, Sources, Tokens } from './lists.tsx';
import type { TabProps } from './maintenance.ts';
import { Provisioning } from './provisioning.tsx';

interface Part {
  readonly name: string;
  /** What it shows of the answer. */
  readonly shows?: 'jobs' | 'certificates' | 'tokens' | 'connections' | 'sources' | 'sync';
  readonly title: Text;
  /** The tab that it shares with others. */
  readonly group?: Text;
  /** The list that a user must be allowed to view to see this part; null for every user. */
  readonly list: string | null;
  readonly Content: ComponentType<TabProps>;
}

const parts: readonly Part[] = [
  { name: 'overview', title: 'Overview', list: null, Content: Attention },
  { name: 'jobs', shows: 'jobs', title: 'Jobs', list: '/events/system_tasks/', Content: Jobs },
  {
    name: 'certificates',
    shows: 'certificates',
    title: 'Certificates',
    group: 'Certificates and tokens',
    list: '/crypto/certificatekeypairs/',
    Content: Certificates,
  },
  {
    name: 'tokens',
    shows: 'tokens',
    title: 'Tokens',
    group: 'Certificates and tokens',
    list: '/core/tokens/',
    Content: Tokens,
  },
  {
    name: 'connections',
    shows: 'connections',
    title: 'Service connections',
    group: 'Connections',
    list: '/outposts/service_connections/all/',
    Content: Connections,
  },
  {
    name: 'sources',
    shows: 'sources',
    title: 'Sources',
    group: 'Connections',
    list: '/sources/all/',
    Content: Sources,
  },
  {
    name: 'provisioning',
    shows: 'sync',
    title: 'Provisioning',
    group: 'Connections',
    list: '/providers/all/',
    Content: Provisioning,
  },
];

const settings = 'settings';

/** What keeps the server running, and what of it needs attention. */
export function SystemPage() {
  const { resources, system_permissions } = useInterface();
  const { query } = useAddress();
  const open = parts.filter(({ list }) => list === null || resources.some(({ path }) => path === list));
  const tabs = [
    ...[...Map.groupBy(open, ({ group, title }) => group ?? title)].flatMap(([title, shared]) =>
      sharedTab(
        t(title),
        shared.map((part) => ({ name: part.name, title: t(part.title) })),
      ),
    ),
    ...(system_permissions.includes('view_system_settings') ? [{ name: settings, title: t('Settings') }] : []),
  ];
  const current = tabAt(tabs, query.get('tab'));
  const part = open.find(({ name }) => name === current);
  return (
    <Page title={t('Maintenance')} intro={t('What keeps the server running, and what of it needs attention.')}>
      <Tabs tabs={tabs} current={current} />
      {current === settings ? <AllSettings /> : part && <Maintained part={part} />}
    </Page>
  );
}

function Maintained({ part: { Content, shows, list } }: { part: Part }) {
  const read = useAnswer<Maintenance>('/admin/maintenance/');
  return (
    <Loaded {...read}>
      {(found) => (
        <>
          <Content found={found} reload={read.reload} />
          {shows && list && found.cut.includes(shows) && (
            <p>
              <Link href={hrefOf(list)}>
                {t('Only {count, number} are shown here. Open the whole list', { count: found[shows].length })}
              </Link>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
