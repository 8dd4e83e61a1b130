import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import type { PaginatedNotificationList } from '../api/types.ts';
import { useAnswer } from '../elements/loading.tsx';
import { keepUnreadCount } from '../page/unread-count.ts';
import { usePerson } from './person.ts';

interface UnseenFacts {
  readonly count: number;
  /** Counts again after a notification was marked as seen. */
  recount(): Promise<void>;
}

const UnseenContext = createContext<UnseenFacts>({ count: 0, recount: async () => {} });

/** Provides the number of unseen notifications; refreshes it when the user returns to the window. */
export function Unseen({ children }: { children: ReactNode }) {
  const { pk } = usePerson();
  const { answer, reload } = useAnswer<PaginatedNotificationList>(
    `/events/notifications/?user=${pk}&seen=false&page_size=1`,
  );
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') reload();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [reload]);
  // On errors no number is shown; the list reports them.
  const count = answer.state === 'ready' ? answer.value.pagination.count : 0;
  useEffect(() => {
    if (answer.state === 'ready') keepUnreadCount(pk, answer.value.pagination.count);
  }, [pk, answer]);
  const facts = useMemo(() => ({ count, recount: reload }), [count, reload]);
  return <UnseenContext value={facts}>{children}</UnseenContext>;
}

export const useUnseen = (): UnseenFacts => use(UnseenContext);
