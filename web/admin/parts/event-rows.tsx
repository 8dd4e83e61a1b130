import '../generic/list.css';
import '../events/events.css';
import { Loaded } from '../../elements/loading.tsx';
import { usePart } from '../api/pages.ts';
import type { Event } from '../events/event.ts';
import { EventRow } from '../events/event-row.tsx';
import { RuleDialogs } from '../events/rule-dialog.tsx';

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
  const events = usePart<{ results: readonly Event[] }>(`/events/events/?${text}`);
  return (
    <Loaded {...events}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="empty">{none}</p>
        ) : (
          <>
            <ol className="rows">
              {results.map((event) => (
                <EventRow key={event.pk} event={event} isNew={false} />
              ))}
            </ol>
            <RuleDialogs events={results} />
          </>
        )
      }
    </Loaded>
  );
}
