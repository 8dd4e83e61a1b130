import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';

type Announce = (text: string) => void;

const AnnounceContext = createContext<Announce>(() => {});
const shownMs = 6000;

/** Tells in a corner of the window that something was done, and reads it out. */
export function Announcing({ children }: { children: ReactNode }) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => setText(''), shownMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <AnnounceContext value={setText}>
      {children}
      <div className="announcement" role="status">
        {text !== '' && <p>{text}</p>}
      </div>
    </AnnounceContext>
  );
}

/** For what was done to a row that is gone now: tells of it, and gives the focus to the heading instead of nothing. */
export function useDone(): (text: string) => void {
  const announce = use(AnnounceContext);
  return useCallback(
    (text) => {
      announce(text);
      document.querySelector<HTMLElement>('main h1')?.focus();
    },
    [announce],
  );
}
