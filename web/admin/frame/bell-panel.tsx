import { useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import { isObject } from '../../api/is-object.ts';
import type { AdminInterface, Event, Notification, PaginatedNotificationList } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { type Text, t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { readNames } from '../api/objects.ts';
import { factsIn } from '../events/event.ts';
import { Link } from '../link.tsx';

const path = '/events/notifications/';
const severities: Readonly<Record<string, Text>> = { notice: 'Notice', warning: 'Warning', alert: 'Alert' };

interface Linked extends Notification {
  /** The page of what it is about; null if the caller may not see it. */
  readonly href: string | null;
}

/** The newest unread notifications, each with a link to what it is about. */
export function BellPanel({ user, onSeen }: { user: number; onSeen(): void }) {
  const { resources } = useInterface();
  const read = useLoadable(useCallback(() => readUnread(user, resources), [user, resources]));
  const { isBusy, problem, attempt } = useAttempt();

  async function open({ pk, href }: Linked): Promise<void> {
    await apiFetch('PATCH', `${path}${pk}/`, { seen: true });
    onSeen();
    if (href) goTo(href);
    else await read.reload();
  }

  async function markAllSeen(): Promise<void> {
    await apiFetch('POST', `${path}mark_all_seen/`);
    onSeen();
    await read.reload();
  }

  return (
    <Loaded {...read}>
      {(notifications) => (
        <div className="stack-tight bell-panel">
          {problem && <Notice tone="bad">{problem}</Notice>}
          {notifications.length === 0 && <p className="quiet">{t('No unread notifications.')}</p>}
          <ul className="bell-list">
            {notifications.map((one) => (
              <li key={one.pk}>
                <p className="row small">
                  <span className={`tag tag-${one.severity}`}>{t(severities[one.severity] ?? 'Notice')}</span>
                  <span className="quiet">
                    <Moment at={one.created} />
                  </span>
                </p>
                <p className="bell-body" dir="auto">
                  {one.href ? (
                    <Link
                      href={one.href}
                      onClick={(event) => {
                        event.preventDefault();
                        void attempt(() => open(one));
                      }}
                    >
                      {one.body}
                    </Link>
                  ) : (
                    one.body
                  )}
                </p>
              </li>
            ))}
          </ul>
          <div className="row">
            {notifications.length > 0 && (
              <Button isBusy={isBusy} onClick={() => attempt(markAllSeen)}>
                {t('Mark all as seen')}
              </Button>
            )}
            <a className="button button-quiet" href="/if/user/notifications/">
              {t('All notifications')}
            </a>
          </div>
        </div>
      )}
    </Loaded>
  );
}

async function readUnread(user: number, resources: AdminInterface['resources']): Promise<Linked[]> {
  const query = `user=${user}&seen=false&ordering=-created&page_size=10`;
  const { results } = await apiFetch<PaginatedNotificationList>('GET', `${path}?${query}`);
  const models = results.map(({ event }) => modelOf(event));
  const known = new Set(resources.map(({ model }) => model));
  const named = models.flatMap((one) => (one && known.has(one.model) ? [one] : []));
  const names = await readNames([...new Set(named.map(({ model, pk }) => `${model}:${pk}`))]).catch(
    () => () => undefined,
  );
  const maySeeEvents = resources.some((entry) => entry.path === '/events/events/');
  return results.map((notification, at) => {
    const model = models[at];
    const object = model && names(model.model, model.pk);
    const event = maySeeEvents && notification.event ? hrefOf(`/events/events/${notification.event.pk}/`) : null;
    return { ...notification, href: object ? hrefOf(object.path) : event };
  });
}

const isHexUuid = /^[\da-f]{32}$/;

/** The object that an event is about. */
function modelOf(event: Event | null): { readonly model: string; readonly pk: string } | null {
  const { model } = factsIn(event?.context);
  if (!isObject(model) || typeof model.pk === 'undefined' || model.pk === null) return null;
  const pk = String(model.pk);
  return {
    model: `${model.app}.${model.model_name}`,
    pk: isHexUuid.test(pk) ? pk.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : pk,
  };
}
