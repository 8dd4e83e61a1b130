import { known, t } from '../../texts/texts.ts';
import type { Finding } from './design.ts';

const words = {
  error: { text: () => t('Error'), look: 'tag tag-alert' },
  warning: { text: () => t('Warning'), look: 'tag tag-warning' },
  info: { text: () => t('Note'), look: 'tag' },
} as const;

/** The findings of the linter about the flow or one stage. */
export function Findings({ findings, label }: { findings: readonly Finding[]; label: string }) {
  if (findings.length === 0) return null;
  return (
    <ul className="flow-findings" aria-label={label}>
      {findings.map(({ code, severity, message, advice }) => (
        <li key={code} data-severity={severity}>
          <p>
            <span className={words[severity].look}>{words[severity].text()}</span> {known(message)}
          </p>
          <p className="quiet small">{known(advice)}</p>
        </li>
      ))}
    </ul>
  );
}

/** All findings in one line. */
export function FindingsSummary({ findings }: { findings: readonly Finding[] | null }) {
  if (findings === null)
    return <p className="quiet">{t('This flow is not checked: it has parts that you may not see.')}</p>;
  if (findings.length === 0)
    return (
      <p>
        <span className="tag tag-good">{t('Checked')}</span> {t('No problems found in this flow.')}
      </p>
    );
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return (
    <p>
      <span className={errors > 0 ? 'tag tag-alert' : 'tag tag-warning'}>{t('Checked')}</span>{' '}
      {t('{count, plural, one {One thing} other {# things}} to look at: see below.', { count: findings.length })}
    </p>
  );
}
