import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { ExactMoment } from '../../elements/moment.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { whoOf } from '../events/event.ts';
import { Link } from '../link.tsx';
import { spelled } from '../words.ts';

interface Event {
  readonly pk: string;
  readonly action: string;
  readonly created: string;
  readonly user: { readonly username?: string };
  readonly context: { readonly diff?: Readonly<Record<string, unknown>> };
}

/** The events about an object, newest first. */
export function Changes({ entry, pk }: { entry: ResourceEntry; pk: string }) {
  const [app = '', model = ''] = entry.model.split('.');
  const query = new URLSearchParams({
    context_model_app: app,
    context_model_name: model,
    context_model_pk: pk.replaceAll('-', ''),
    page_size: '25',
  });
  const events = useAnswer<{ results: readonly Event[] }>(`/events/events/?${query}`);
  return (
    <Loaded {...events}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="empty">{t('No events are kept about it.')}</p>
        ) : (
          <ul className="rows">
            {results.map((event) => (
              <li key={event.pk} className="rows-row">
                <div className="rows-text">
                  <p>
                    <Rich
                      text="<a>{action}</a> by {who}"
                      values={{
                        action: spelled(event.action),
                        who: whoOf(event),
                        a: (words) => <Link href={hrefOf(`/events/events/${event.pk}/`)}>{words}</Link>,
                      }}
                    />
                  </p>
                  <p className="quiet small">
                    {Object.keys(event.context.diff ?? {})
                      .map(spelled)
                      .join(', ')}
                  </p>
                </div>
                <span className="quiet small">
                  <ExactMoment at={event.created} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
