import type { PaginatedApplicationList, User } from '../../api/types.ts';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { Pager } from '../generic/pager.tsx';
import { Link } from '../link.tsx';

/** The applications that a person may open. */
export function ApplicationsTab({ person: { pk: person } }: { person: User }) {
  const page = useAddress().query.get('page') ?? '1';
  // Not as a part of the page: lists of pages show superusers everything.
  const read = useAnswer<PaginatedApplicationList>(
    `/core/applications/?for_user=${person}&page_size=100&ordering=name&page=${page}`,
  );
  return (
    <Loaded {...read}>
      {({ results, pagination }) =>
        results.length === 0 ? (
          <p className="empty">{t('They cannot open any application.')}</p>
        ) : (
          <>
            <ul className="rows" aria-label={t('Applications')}>
              {results.map(({ pk, name, slug }) => (
                <li key={pk} className="rows-row">
                  <p className="rows-text">
                    <Link href={hrefOf(`/core/applications/${slug}/`)}>
                      <bdi>{name}</bdi>
                    </Link>
                  </p>
                  <Link
                    className="button"
                    href={hrefOf('/access/', { what: 'application', person: String(person), target: pk })}
                  >
                    {t('Why?')}
                    <span className="visually-hidden"> {name}</span>
                  </Link>
                </li>
              ))}
            </ul>
            <Pager pagination={pagination} isAtLeast={false} />
          </>
        )
      }
    </Loaded>
  );
}
