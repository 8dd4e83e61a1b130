import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { actionName, whoOf } from '../events/action-name.ts';
import { Link } from '../link.tsx';

interface Event {
  readonly pk: string;
  readonly action: string;
  readonly created: string;
  readonly client_ip: string | null;
  readonly user: { readonly username?: string };
  readonly context: Readonly<Record<string, unknown>>;
}

interface Props {
  /** What events to list, as the API takes it. */
  readonly query: Readonly<Record<string, string>>;
  readonly none: string;
}

/** Some events, newest first. */
export function EventRows({ query, none }: Props) {
  const text = new URLSearchParams({ ...query, page_size: '25' }).toString();
  const events = useAnswer<{ results: readonly Event[] }>(`/events/events/?${text}`);
  return (
    <Loaded {...events}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="empty">{none}</p>
        ) : (
          <ul className="rows">
            {results.map((event) => (
              <li key={event.pk} className="rows-row">
                <div className="rows-text">
                  <p>
                    <Link href={hrefOf(`/events/events/${event.pk}/`)}>{actionName(event.action)}</Link>{' '}
                    {subjectOf(event)}
                  </p>
                  <p className="quiet small">
                    {event.client_ip
                      ? t('{who} from {address}', { who: whoOf(event), address: event.client_ip })
                      : whoOf(event)}
                  </p>
                </div>
                <span className="quiet small">
                  <Moment at={event.created} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** The name of what an event is about. */
function subjectOf({ context }: Event): string {
  for (const member of ['model', 'authorized_application', 'application', 'flow']) {
    const found = context[member];
    if (typeof found === 'object' && found !== null && 'name' in found) return String(found.name);
  }
  return '';
}
