import './toast.css';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

interface Toast {
  readonly text: string;
}

const ToastContext = createContext<(announcement: Toast) => void>(() => {});
const visibleMs = 6000;

/** Provides a toast that screen readers read out. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [announcement, announce] = useState<Toast | null>(null);
  useEffect(() => {
    if (!announcement) return;
    // The action may have removed the row that had the focus, so the heading gets it.
    document.querySelector<HTMLElement>('main h1')?.focus();
    const timer = setTimeout(() => announce(null), visibleMs);
    return () => clearTimeout(timer);
  }, [announcement]);
  return (
    <ToastContext value={announce}>
      {children}
      <div className="announcement" role="status">
        {announcement && <p>{announcement.text}</p>}
      </div>
    </ToastContext>
  );
}

/** Shows a toast. */
export function useToast(): (text: string) => void {
  const announce = use(ToastContext);
  return (text) => announce({ text });
}
