import type { AdminOverview } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './start.css';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { FaultBoundary } from '../../page/fault-boundary.tsx';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { menuFor } from '../frame/menu-list.ts';
import { Mark } from '../icons/mark.tsx';
import { atLeast } from '../labels.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { HealthCard } from '../parts/health-card.tsx';
import { BackupButton, BackupDialog } from './backup.tsx';
import { Checklist } from './checklist.tsx';
import { HeldBack } from './held-back.tsx';
import { SendTestMail } from './send-test-mail.tsx';
import { Tiles } from './tiles.tsx';
import { WeekCard } from './week-card.tsx';

/** Checklist, health and statistics. */
export function StartPage() {
  const { user } = useInterface();
  const overview = useAnswer<AdminOverview>('/admin/overview/');
  return (
    <Page title={t('Start')} intro={t('Welcome, {name}', { name: user.name || user.username })}>
      <Loaded {...overview}>{(value) => <Content overview={value} reload={overview.reload} />}</Loaded>
    </Page>
  );
}

function Content({ overview, reload }: { overview: AdminOverview; reload(): Promise<void> }) {
  const { user } = useInterface();
  const { health, week, top_applications, failing_jobs, ending_certificates, checklist, at_least } = overview;
  return (
    <>
      {overview.outgoing_held_since && <HeldBack since={overview.outgoing_held_since} onReleased={reload} />}
      <FaultBoundary isPart>
        <Tiles overview={overview} />
      </FaultBoundary>
      <FaultBoundary isPart>
        <Checklist items={checklist} />
      </FaultBoundary>
      <FaultBoundary isPart>
        <Troubles jobs={failing_jobs} certificates={ending_certificates} />
      </FaultBoundary>
      {week && (
        <div className="start-columns">
          <FaultBoundary isPart>
            <WeekCard week={week} isAtLeast={at_least.includes('week')} />
          </FaultBoundary>
          <FaultBoundary isPart>
            <TopApplications applications={top_applications} isAtLeast={at_least.includes('top_applications')} />
          </FaultBoundary>
        </div>
      )}
      <HealthCard vitals={overview}>
        {user.is_superuser && (
          <div className="row">
            <BackupButton />
            {health?.mail && <SendTestMail />}
          </div>
        )}
      </HealthCard>
      {user.is_superuser && <BackupDialog onDone={reload} />}
      {!week && !health && <Ways />}
    </>
  );
}

function Troubles({
  jobs,
  certificates,
}: {
  jobs: AdminOverview['failing_jobs'];
  certificates: AdminOverview['ending_certificates'];
}) {
  if (jobs.length === 0 && certificates.length === 0) return null;
  return (
    <section className="stack-tight" aria-labelledby="start-troubles">
      <h2 id="start-troubles">{t('Needs attention')}</h2>
      <ul className="rows">
        {jobs.map(({ pk, name, message, finished }) => (
          <li key={pk} className="rows-row">
            <span className="tag tag-alert">{t('Job failed')}</span>
            <div className="rows-text">
              <Link href={hrefOf(`/events/system_tasks/${pk}/`)}>{name}</Link>
              <p className="quiet small">{message}</p>
            </div>
            {finished && (
              <span className="quiet small">
                <Moment at={finished} />
              </span>
            )}
          </li>
        ))}
        {certificates.map(({ pk, name, ends }) => {
          const isOver = Date.parse(ends) < Date.now();
          return (
            <li key={pk} className="rows-row">
              <span className={isOver ? 'tag tag-alert' : 'tag tag-warning'}>
                {t(isOver ? 'Certificate expired' : 'Certificate expires')}
              </span>
              <div className="rows-text">
                <Link href={hrefOf(`/crypto/certificatekeypairs/${pk}/`)}>{name}</Link>
              </div>
              <span className="quiet small">
                <Moment at={ends} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface TopProps {
  readonly applications: AdminOverview['top_applications'];
  readonly isAtLeast: boolean;
}

function TopApplications({ applications, isAtLeast }: TopProps) {
  return (
    <section className="card stack" aria-labelledby="start-top">
      <h2 id="start-top">{t('Most used applications')}</h2>
      {applications.length === 0 ? (
        <p className="quiet">{t('Nobody has signed in to an application this week.')}</p>
      ) : (
        <ol className="start-top">
          {applications.map(({ name, slug, icon, events, users }) => (
            <li key={slug || name}>
              <Mark address={icon} name={name} />
              {slug ? <Link href={hrefOf(`/core/applications/${slug}/`)}>{name}</Link> : <span>{name}</span>}
              <span className="quiet small">
                {atLeast(t('{count, plural, one {# sign-in} other {# sign-ins}}', { count: events }), isAtLeast)}
                {t(', ')}
                {atLeast(t('{count, plural, one {# person} other {# people}}', { count: users }), isAtLeast)}
              </span>
              <progress value={events} max={applications[0]?.events ?? 1} aria-label={t('Share of {name}', { name })} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Links for delegates without permission to see statistics. */
function Ways() {
  return (
    <div className="tiles">
      {menuFor(useInterface()).map(({ title, items }) => (
        <section key={title} className="card stack" aria-labelledby={`start-${title}`}>
          <h2 id={`start-${title}`}>{t(title)}</h2>
          <ul className="plain-list">
            {items.map((item) => (
              <li key={item.path}>
                <Link href={hrefOf(item.path)}>{item.title}</Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
