import './bell.css';
import { Bell as BellIcon } from 'lucide-react';
import { Suspense, useCallback, useEffect, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { PaginatedNotificationList } from '../../api/types.ts';
import { Waiting } from '../../elements/loading.tsx';
import { Popover } from '../../elements/popover.tsx';
import { lazyPage } from '../../page/lazy-page.ts';
import { keepUnreadCount, keptUnreadCount } from '../../page/unread-count.ts';
import { t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';
import { numberText } from '../labels.ts';

const Panel = lazyPage(async () => (await import('./bell-panel.tsx')).BellPanel);

const maxShown = 99;
/** Pages that are opened in new windows one after the other do not each ask. */
const keptMs = 5 * 60_000;

/** The unread notifications of the caller. */
export function Bell() {
  const { pk } = useInterface().user;
  const [count, recount] = useUnreadCount(pk);
  const amount = count > maxShown ? `${numberText(maxShown)}+` : numberText(count);
  return (
    <Popover
      label={t('Notifications')}
      icon={
        <>
          <BellIcon className="icon" />
          {count > 0 && (
            <span className="bell-count">
              {amount}
              <span className="visually-hidden"> {t('not seen yet')}</span>
            </span>
          )}
        </>
      }
    >
      <Suspense fallback={<Waiting />}>
        <Panel user={pk} onSeen={recount} />
      </Suspense>
    </Popover>
  );
}

function useUnreadCount(user: number): readonly [number, () => void] {
  const [count, setCount] = useState(() => keptUnreadCount(user)?.count ?? 0);
  const recount = useCallback(async () => {
    const path = `/events/notifications/?user=${user}&seen=false&page_size=1`;
    const found = await apiFetch<PaginatedNotificationList>('GET', path).catch(() => null);
    if (!found) return;
    keepUnreadCount(user, found.pagination.count);
    setCount(found.pagination.count);
  }, [user]);
  useEffect(() => {
    const look = () => {
      const kept = keptUnreadCount(user);
      if (document.visibilityState === 'visible' && !(kept && Date.now() - kept.at < keptMs)) void recount();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [user, recount]);
  return [count, recount];
}
