import { useEffect, useRef, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Event, PaginatedEventList } from '../../api/types.ts';

const everyMs = 4_000;
const mostKept = 200;

/** New events, newest first. Polls for events after the newest one, and not while the page is hidden. */
export function useLive(isOn: boolean, question: string, newest: Event | undefined): readonly Event[] {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const last = useRef<Event | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts over
  useEffect(() => {
    setEvents([]);
    last.current = newest;
  }, [question, newest?.pk]);
  useEffect(() => {
    if (!isOn) return;
    let isAsking = false;
    let isWanted = true;
    const since = new Date().toISOString();
    async function ask(): Promise<void> {
      if (isAsking || document.hidden) return;
      isAsking = true;
      try {
        const query = new URLSearchParams(question);
        query.set('created__gte', last.current?.created ?? since);
        query.set('page_size', '100');
        const { results } = await apiFetch<PaginatedEventList>('GET', `/events/events/?${query}`);
        if (!isWanted) return;
        const seen = last.current;
        setEvents((known) => {
          const keys = new Set([...known.map(({ pk }) => pk), seen?.pk]);
          return [...results.filter(({ pk }) => !keys.has(pk)), ...known].slice(0, mostKept);
        });
        last.current = results[0] ?? seen;
      } catch {
        // Polled again in the next round.
      }
      isAsking = false;
    }
    const timer = setInterval(() => void ask(), everyMs);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [isOn, question]);
  return events;
}
