import type { Pagination } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { Link } from '../link.tsx';

interface Props {
  readonly pagination: Pagination;
  readonly isAtLeast: boolean;
  /** What the addresses of other pages leave out. */
  readonly without?: readonly string[];
}

export function Pager({ pagination: { next, previous, current, total_pages: total }, isAtLeast, without = [] }: Props) {
  if (total < 2) return null;
  const pageAt = (page: string | null) =>
    hereWith({ ...Object.fromEntries(without.map((name) => [name, null])), page });
  return (
    <nav className="row" aria-label={t('Pages of the list')}>
      {previous > 0 && (
        <Link className="button" href={pageAt(previous > 1 ? String(previous) : null)}>
          {t('Previous')}
        </Link>
      )}
      <span className="small">
        {isAtLeast
          ? t('Page {current, number}', { current })
          : t('Page {current, number} of {total, number}', { current, total })}
      </span>
      {next > 0 && (
        <Link className="button" href={pageAt(String(next))}>
          {t('Next')}
        </Link>
      )}
    </nav>
  );
}
