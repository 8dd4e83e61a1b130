import type { Maintenance } from '../../api/types.ts';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { HealthCard } from '../parts/health-card.tsx';
import { endsSoon, isOver, type TabProps } from './maintenance.ts';
import { RowList, type RowProps } from './row-list.tsx';

/** What needs attention, then the health of the server. */
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
      <HealthCard vitals={found} />
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
          ? { tone: 'alert' as const, tag: t('Certificate expired') }
          : { tone: 'warning' as const, tag: t('Certificate expires') }),
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
        ...{ id: `sync ${pk}`, tone: 'alert' as const, tag: t('Out of sync'), name },
        href: hrefOf('/system/', { tab: 'provisioning', provider: String(pk), state: 'failed' }),
        text: message || t('{count, plural, one {# object failed} other {# objects failed}}', { count: failed }),
      })),
  ];
}
