import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import type { Person } from './person.ts';

interface Application {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
}

/** The applications that a person may open; the first hundred. */
export function ApplicationsTab({ person: { pk: person } }: { person: Person }) {
  // Not as a part of the page: lists of pages show superusers everything.
  const read = useAnswer<{ readonly results: readonly Application[] }>(
    `/core/applications/?for_user=${person}&page_size=100&ordering=name`,
  );
  return (
    <Loaded {...read}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="empty">{t('They may open no application.')}</p>
        ) : (
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
        )
      }
    </Loaded>
  );
}
