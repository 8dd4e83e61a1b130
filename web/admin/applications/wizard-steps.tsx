import { type Text, t } from '../../texts/texts.ts';

const titles: readonly Text[] = ['Application', 'Name and address', 'Who may use it', 'Result'];

/** The progress of the wizard. */
export function Steps({ current }: { current: number }) {
  return (
    <ol className="steps" aria-label={t('Steps')}>
      {titles.map((title, at) => (
        <li key={title} aria-current={at === current ? 'step' : undefined} data-done={at < current || undefined}>
          <span className="steps-number" aria-hidden="true">
            {at < current ? '✓' : at + 1}
          </span>
          <span>
            {t(title)}
            {at < current && <span className="visually-hidden"> {t('(done)')}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
