import './notice.css';
import type { ReactNode } from 'react';

interface Props {
  readonly tone: 'bad' | 'good' | 'warn' | 'plain';
  readonly children: ReactNode;
}

/** Words that stand out. Bad news is read out at once, the rest when there is time. */
export function Notice({ tone, children }: Props) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
