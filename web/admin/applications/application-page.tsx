import type { AdminInterface, Application } from '../../api/types.ts';
import '../generic/detail.css';
import './applications.css';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Changes } from '../generic/changes.tsx';
import { DeleteDialog, deleteItem } from '../generic/delete-dialog.tsx';
import { FoldedUses } from '../generic/folded-uses.tsx';
import { Tabs } from '../generic/tabs.tsx';
import { Mark } from '../icons/mark.tsx';
import { kindName } from '../labels.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { EventRows } from '../parts/event-rows.tsx';
import { ActionMenu } from '../parts/menu.tsx';
import { OnOff } from '../parts/on-off.tsx';
import { Unread } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { AccessTab } from './access-tab.tsx';
import { type ReadApplication, useApplication } from './application.ts';
import { ClaimsTab } from './claims-tab.tsx';
import { DuplicateDialog, duplicateItem } from './duplicate-dialog.tsx';
import { Overview } from './overview.tsx';
import { SignInTab } from './sign-in-tab.tsx';
import { SwitchedOff, SwitchOffDialog, switchOffItem } from './switch-dialog.tsx';
import { TokensTab } from './tokens-tab.tsx';

/** An application and its provider as one thing. */
export function ApplicationPage({ entry, objectKey }: ResourcePage) {
  const read = useApplication(entry, objectKey);
  const crumbs = [{ text: entry.plural, href: hrefOf(entry.path) }];
  if (read.answer.state !== 'ready') return <Unread read={read} entry={entry} />;
  const { application, may } = read.answer.value;
  const mayChange = may.includes('change');
  const [canDuplicate, canSwitchOff, mayDelete] = [
    may.includes('duplicate'),
    mayChange && application.enabled,
    may.includes('delete'),
  ];
  return (
    <Page
      title={application.name}
      intro={[entry.singular, kindName(application.provider_obj?.verbose_name ?? '')].filter(Boolean).join(' · ')}
      state={<OnOff isOn={application.enabled} />}
      mark={<Mark address={application.meta_icon} name={application.name} />}
      crumbs={crumbs}
      actions={
        <>
          <ActionMenu
            items={[
              ...(canDuplicate ? [duplicateItem()] : []),
              ...(canSwitchOff ? [switchOffItem()] : []),
              ...(mayDelete ? [deleteItem()] : []),
            ]}
          />
          {canDuplicate && <DuplicateDialog application={application} />}
          {canSwitchOff && <SwitchOffDialog application={application} reload={read.reload} />}
          {mayDelete && <DeleteDialog entry={entry} objectKey={objectKey} title={application.name} hasUsedBy />}
          {mayChange && (
            <Link className="button button-primary" href={hrefOf(`/edit${entry.path}${application.slug}/`)}>
              {t('Edit')}
            </Link>
          )}
        </>
      }
    >
      {!application.enabled && <SwitchedOff application={application} reload={read.reload} mayChange={mayChange} />}
      <Content {...read.answer.value} entry={entry} />
    </Page>
  );
}

function Content({ application, may, entry }: ReadApplication & Pick<ResourcePage, 'entry'>) {
  const { query } = useAddress();
  const tabs = tabsFor(application, useInterface());
  const tab = tabs.find(({ name }) => name === query.get('tab'))?.name ?? 'overview';
  return (
    <>
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && (
        <div className="stack">
          <Overview application={application} may={may} />
          <FoldedUses entry={entry} objectKey={application.slug} />
        </div>
      )}
      {tab === 'sign-in' && <SignInTab application={application} />}
      {tab === 'claims' && <ClaimsTab application={application} />}
      {tab === 'access' && <AccessTab application={application} may={may} />}
      {tab === 'tokens' && <TokensTab application={application} />}
      {tab === 'events' && <Events application={application} entry={entry} />}
    </>
  );
}

/** What the caller may see of it. */
function tabsFor({ provider_obj }: Application, { resources }: AdminInterface) {
  const has = (path: string) => resources.some((entry) => entry.path === path);
  const kind = resources.find(({ model }) => model === provider_obj?.meta_model_name)?.path;
  const isOAuth = kind === '/providers/oauth2/';
  return [
    { name: 'overview', title: t('Overview') },
    ...(kind ? [{ name: 'sign-in', title: t('Sign-in') }] : []),
    ...(isOAuth || kind === '/providers/saml/' ? [{ name: 'claims', title: t('Claims') }] : []),
    ...(has('/policies/bindings/') ? [{ name: 'access', title: t('Access') }] : []),
    ...(isOAuth && has('/oauth2/access_tokens/') ? [{ name: 'tokens', title: t('Tokens') }] : []),
    ...(has('/events/events/') ? [{ name: 'events', title: t('Events') }] : []),
  ];
}

/** By what is bound to it, and by requests that do not fit its settings. */
const refusals = ['policy_execution', 'configuration_error'];

function Events({ application: { pk }, entry }: { application: Application } & Pick<ResourcePage, 'entry'>) {
  const key = pk.replaceAll('-', '');
  return (
    <div className="stack">
      <section className="stack-tight" aria-label={t('Sign-ins')}>
        <h2>{t('Sign-ins')}</h2>
        <EventRows query={{ context_authorized_app: key }} none={t('Nobody has signed in to it yet.')} />
      </section>
      <section className="stack-tight" aria-label={t('Refusals')}>
        <h2>{t('Refusals')}</h2>
        <EventRows query={{ actions: refusals, search: key }} none={t('Nobody has been denied access.')} />
      </section>
      <section className="stack-tight" aria-label={t('Changes')}>
        <h2>{t('Changes')}</h2>
        <Changes entry={entry} pk={pk} />
      </section>
    </div>
  );
}
