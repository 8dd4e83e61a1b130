import type { ReactNode } from 'react';
import type { Maintenance } from '../../api/types.ts';
import { Moment } from '../../elements/moment.tsx';
import { t } from '../../texts/texts.ts';

/** What the start page and the system page know of the server. */
export type Vitals = Pick<Maintenance, 'version' | 'public_url' | 'health'>;

/** The health of the server; nothing for those who may not see it. */
export function HealthCard({ vitals, children }: { vitals: Vitals; children?: ReactNode }) {
  const { health, public_url, version } = vitals;
  if (!health) return null;
  const { jobs_queued: queued, jobs_failed: failed } = health;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('Address'), <bdi key="address">{public_url}</bdi>],
    [t('Version'), version],
    [t('Database'), health.database],
    [t('Jobs'), t('{queued, number} waiting, {failed, number} failed', { queued, failed })],
    [t('Last backup'), health.last_backup ? <Moment key="at" at={health.last_backup} /> : t('None seen')],
    [t('Mail'), health.mail ? t('Set up') : t('Not set up')],
  ];
  return (
    <section className="card stack" aria-labelledby="health">
      <h2 id="health">{t('Health')}</h2>
      <dl className="tiles">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="quiet small">{name}</dt>
            <dd className="breakable">{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  );
}
