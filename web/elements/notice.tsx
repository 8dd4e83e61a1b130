import './notice.css';
import type { ReactNode } from 'react';

interface Props {
  readonly tone: 'bad' | 'good' | 'warn' | 'plain';
  readonly children: ReactNode;
}

/** A highlighted message. Errors are announced assertively, others politely. */
export function Notice({ tone, children }: Props) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
