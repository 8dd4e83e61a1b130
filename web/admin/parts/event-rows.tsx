import type { PaginatedEventList } from '../../api/types.ts';
import '../generic/list.css';
import '../events/events.css';
import { Loaded } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { usePart } from '../api/pages.ts';
import { filterNames } from '../events/event.ts';
import { EventRow } from '../events/event-row.tsx';
import { RuleDialogs } from '../events/rule-dialog.tsx';
import { AllOf } from './all-of.tsx';

interface Props {
  /** What events to list, as the API takes it. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly none: string;
}

/** Some events, newest first. */
export function EventRows({ query, none }: Props) {
  const asked = Object.entries({ ...query, page_size: '25' }).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  );
  const text = new URLSearchParams(asked).toString();
  const events = usePart<PaginatedEventList>(`/events/events/?${text}`);
  // Of other filters the page of events knows nothing.
  const isKnown = Object.keys(query).every((name) => filterNames.some((known) => known === name));
  return (
    <Loaded {...events}>
      {({ results, pagination: { count } }) =>
        results.length === 0 ? (
          <p className="empty">{none}</p>
        ) : (
          <>
            <ol className="rows">
              {results.map((event) => (
                <EventRow key={event.pk} event={event} isNew={false} />
              ))}
            </ol>
            {isKnown ? (
              <AllOf from={`/events/events/?${text}&period=year`} shown={results.length} count={count} />
            ) : (
              count > results.length && (
                <p className="quiet small">
                  {t('The {shown, number} newest of {count, number} are shown.', { shown: results.length, count })}
                </p>
              )
            )}
            <RuleDialogs events={results} />
          </>
        )
      }
    </Loaded>
  );
}
