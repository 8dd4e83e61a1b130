import './announcing.css';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

interface Announcement {
  readonly text: string;
}

const AnnounceContext = createContext<(announcement: Announcement) => void>(() => {});
const visibleMs = 6000;

/** Provides a toast that screen readers read out. */
export function Announcing({ children }: { children: ReactNode }) {
  const [announcement, announce] = useState<Announcement | null>(null);
  useEffect(() => {
    if (!announcement) return;
    // The action may have removed the row that had the focus, so the heading gets it.
    document.querySelector<HTMLElement>('main h1')?.focus();
    const timer = setTimeout(() => announce(null), visibleMs);
    return () => clearTimeout(timer);
  }, [announcement]);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="announcement" role="status">
        {announcement && <p>{announcement.text}</p>}
      </div>
    </AnnounceContext>
  );
}

/** Shows a toast. */
export function useDone(): (text: string) => void {
  const announce = use(AnnounceContext);
  return (text) => announce({ text });
}
