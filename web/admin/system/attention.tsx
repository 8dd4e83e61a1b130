import type { ReactNode } from 'react';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { endsSoon, isOver, type Maintenance, type TabProps } from './maintenance.ts';
import { RowList, type RowProps } from './row-list.tsx';

/** What has to be looked at, then how the server is doing. */
export function Attention({ found }: TabProps) {
  const troubles = troublesOf(found);
  return (
    <>
      <section className="stack-tight" aria-labelledby="system-troubles">
        <h2 id="system-troubles">{t('Needs attention')}</h2>
        {troubles.length === 0 ? (
          <Notice tone="good">{t('Nothing needs attention.')}</Notice>
        ) : (
          <RowList rows={troubles} />
        )}
      </section>
      {found.health && <Health found={found} health={found.health} />}
    </>
  );
}

function troublesOf({ jobs, certificates, tokens, sync }: Maintenance): RowProps[] {
  return [
    ...jobs
      .filter(({ status }) => status === 'error')
      .map(({ pk, name, message, finished }) => ({
        ...{ id: pk, tone: 'alert' as const, tag: t('Job failed'), name, href: hrefOf(`/events/system_tasks/${pk}/`) },
        ...{ text: message, at: finished },
      })),
    ...certificates
      .filter(({ ends }) => endsSoon(ends))
      .map(({ pk, name, ends }) => ({
        ...{ id: pk, name, href: hrefOf(`/crypto/certificatekeypairs/${pk}/`), at: ends },
        ...(isOver(ends)
          ? { tone: 'alert' as const, tag: t('Certificate ended') }
          : { tone: 'warning' as const, tag: t('Certificate ends') }),
      })),
    ...tokens
      .filter(({ ends }) => ends !== null)
      .map(({ identifier, username, ends }) => ({
        ...{
          id: identifier,
          tone: 'warning' as const,
          tag: t('Token ends'),
          name: identifier,
          text: username,
          at: ends,
        },
        href: hrefOf(`/core/tokens/${encodeURIComponent(identifier)}/`),
      })),
    ...sync
      .filter(({ failed, message }) => failed > 0 || message !== '')
      .map(({ pk, name, failed, message }) => ({
        ...{ id: `sync ${pk}`, tone: 'alert' as const, tag: t('Not in step'), name },
        href: hrefOf('/system/', { tab: 'provisioning', provider: String(pk), state: 'failed' }),
        text: message || t('{count, plural, one {# object failed} other {# objects failed}}', { count: failed }),
      })),
  ];
}

function Health({ found, health }: { found: Maintenance; health: NonNullable<Maintenance['health']> }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('Address'), found.public_url],
    [t('Version'), found.version],
    [t('Database'), health.database],
    [
      t('Jobs'),
      t('{queued, number} waiting, {failed, number} failed', {
        queued: health.jobs_queued,
        failed: health.jobs_failed,
      }),
    ],
    [t('Last backup'), health.last_backup ? <Moment key="at" at={health.last_backup} /> : t('None seen')],
    [t('Mail'), health.mail ? t('Set up') : t('Not set up')],
  ];
  return (
    <section className="card stack" aria-labelledby="system-health">
      <h2 id="system-health">{t('Health')}</h2>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
