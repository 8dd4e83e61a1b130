import { useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';
import { useUnseen } from '../unseen.tsx';

interface Notification {
  readonly pk: string;
  readonly severity: 'notice' | 'warning' | 'alert';
  readonly body: string;
  readonly created: string;
  readonly seen: boolean;
}

const path = '/events/notifications/';
const severities = { notice: 'Notice', warning: 'Warning', alert: 'Alert' };

/** The user's notifications. */
export function Notifications() {
  const { pk } = usePerson();
  const notifications = useListing<Notification>(`${path}?user=${pk}`);
  const { count, recount } = useUnseen();
  const done = useDone();
  const [problem, setProblem] = useState<string | null>(null);

  async function finish(text: string): Promise<void> {
    setProblem(null);
    await Promise.all([notifications.reload(), recount()]);
    done(text);
  }

  async function remove(notification: Notification): Promise<void> {
    await callAsPerson('DELETE', `${path}${notification.pk}/`);
    await finish('The notification is deleted.');
  }

  const markSeen = (notification: Notification) =>
    callAsPerson('PATCH', `${path}${notification.pk}/`, { seen: true })
      .then(() => finish('The notification is marked as seen.'))
      .catch((caught) => setProblem(wordsOf(caught)));

  const markAllSeen = () =>
    callAsPerson('POST', `${path}mark_all_seen/`)
      .then(() => finish('All are marked as seen.'))
      .catch((caught) => setProblem(wordsOf(caught)));

  return (
    <Section title="Notifications" actions={count > 0 && <Button onClick={markAllSeen}>Mark all as seen</Button>}>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Listed listing={notifications} empty="Nothing to tell you.">
        {(rows) => (
          <ul className="rows">
            {rows.map((notification) => (
              <li key={notification.pk} className="rows-row" data-unseen={!notification.seen || undefined}>
                <div className="rows-text">
                  <p className="row">
                    <span className={`tag tag-${notification.severity}`}>{severities[notification.severity]}</span>
                    {!notification.seen && <span className="tag tag-good">New</span>}
                    <span className="quiet small">
                      <Moment at={notification.created} />
                    </span>
                  </p>
                  <p className="notification-body">{notification.body}</p>
                </div>
                <div className="row">
                  {!notification.seen && (
                    <Button look="quiet" onClick={() => markSeen(notification)}>
                      Mark as seen
                    </Button>
                  )}
                  <ConfirmButton
                    question="Delete this notification?"
                    consequence={notification.body}
                    confirm="Delete"
                    onConfirm={() => remove(notification)}
                  >
                    Delete
                  </ConfirmButton>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}
