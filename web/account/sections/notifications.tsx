import { useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { Notification } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';
import { useUnseen } from '../unseen.tsx';

const path = '/events/notifications/';
const severities: Readonly<Record<string, Text>> = { notice: 'Notice', warning: 'Warning', alert: 'Alert' };

/** The user's notifications. */
export function Notifications() {
  const { pk } = usePerson();
  const notifications = useListing<Notification>(`${path}?user=${pk}`);
  const { count, recount } = useUnseen();
  const done = useToast();
  const [problem, setProblem] = useState<string | null>(null);

  async function finish(text: string): Promise<void> {
    setProblem(null);
    await Promise.all([notifications.reload(), recount()]);
    done(text);
  }

  async function remove(notification: Notification): Promise<void> {
    await apiFetch('DELETE', `${path}${notification.pk}/`);
    await finish(t('The notification is deleted.'));
  }

  const markSeen = (notification: Notification) =>
    apiFetch('PATCH', `${path}${notification.pk}/`, { seen: true })
      .then(() => finish(t('The notification is marked as seen.')))
      .catch((caught) => setProblem(errorMessage(caught)));

  const markAllSeen = () =>
    apiFetch('POST', `${path}mark_all_seen/`)
      .then(() => finish(t('All are marked as seen.')))
      .catch((caught) => setProblem(errorMessage(caught)));

  return (
    <Section
      title={t('Notifications')}
      actions={count > 0 && <Button onClick={markAllSeen}>{t('Mark all as seen')}</Button>}
    >
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Listed listing={notifications} empty={t('No notifications.')}>
        {(rows) => (
          <ul className="rows">
            {rows.map((notification) => (
              <li key={notification.pk} className="rows-row" data-unseen={!notification.seen || undefined}>
                <div className="rows-text">
                  <p className="row">
                    <span className={`tag tag-${notification.severity}`}>
                      {t(severities[notification.severity] ?? 'Notice')}
                    </span>
                    {!notification.seen && <span className="tag tag-good">{t('New')}</span>}
                    <span className="quiet small">
                      <Moment at={notification.created} />
                    </span>
                  </p>
                  <p className="notification-body" dir="auto">
                    {notification.body}
                  </p>
                </div>
                <div className="row">
                  {!notification.seen && (
                    <Button look="quiet" onClick={() => markSeen(notification)}>
                      {t('Mark as seen')}
                    </Button>
                  )}
                  <ConfirmButton
                    question={t('Delete this notification?')}
                    consequence={notification.body}
                    confirm={t('Delete')}
                    onConfirm={() => remove(notification)}
                  >
                    {t('Delete')}
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
