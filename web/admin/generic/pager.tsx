import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { Link } from '../link.tsx';

export interface Pagination {
  readonly next: number;
  readonly previous: number;
  readonly count: number;
  readonly current: number;
  readonly total_pages: number;
}

export function Pager({ pagination: { next, previous, current, total_pages } }: { pagination: Pagination }) {
  if (total_pages < 2) return null;
  return (
    <nav className="row" aria-label={t('Pages of the list')}>
      {previous > 0 && (
        <Link className="button" href={hereWith({ page: previous > 1 ? String(previous) : null })}>
          {t('Previous')}
        </Link>
      )}
      <span className="small">{t('Page {current, number} of {total, number}', { current, total: total_pages })}</span>
      {next > 0 && (
        <Link className="button" href={hereWith({ page: String(next) })}>
          {t('Next')}
        </Link>
      )}
    </nav>
  );
}
