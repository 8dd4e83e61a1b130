import './announcing.css';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

interface Announcement {
  readonly text: string;
}

const AnnounceContext = createContext<(announcement: Announcement) => void>(() => {});
const visibleMs = 6000;

/** Tells in a corner of the window that something was done, and reads it out. */
export function Announcing({ children }: { children: ReactNode }) {
  const [announcement, announce] = useState<Announcement | null>(null);
  useEffect(() => {
    if (!announcement) return;
    // What was done may have taken away the row that had the focus: the heading gets it, by now that nothing is in front.
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

/** Says that something was done, once the page shows it. */
export function useDone(): (text: string) => void {
  const announce = use(AnnounceContext);
  return (text) => announce({ text });
}
