import { pageLocale } from '../../texts/page-language.ts';
import { known, t } from '../../texts/texts.ts';
import type { Checked, Template } from './template.ts';

/** A link to what the product itself says of this. */
export const Documentation = ({ template: { docs, name } }: { template: Template }) =>
  docs && (
    <p className="small">
      <a href={docs} target="_blank" rel="noreferrer">
        {t('Documentation of {name}', { name: known(name) })}
      </a>
    </p>
  );

/** How far a template is known to work. */
export function checkedText({ version, date, how }: Checked): string {
  const shown = new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.parse(date),
  );
  return how === 'run'
    ? t('Tried with version {version} on {date}', { version, date: shown })
    : t('Checked against its documentation on {date}', { date: shown });
}

/** Where to enter the text, in the language of the page. */
export function whereOf({ where }: Template): string {
  const [, name] = /^Environment of (.+)$/.exec(where) ?? [];
  return known(where) === where && name !== undefined ? t('Environment of {name}', { name }) : known(where);
}
