import type { ReactNode } from 'react';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';

interface Props {
  /** What leaving is called; `Close` where there is only something to see. */
  readonly leave?: string;
  onLeave(): void;
  readonly children?: ReactNode;
}

/**
 * The buttons of a dialog: first the one that leaves it, last what the dialog is for. Without a field the first one
 * gets the focus, so it must not be a destructive one.
 */
export const DialogButtons = ({ leave = t('Cancel'), onLeave, children }: Props) => (
  <div className="row">
    <Button onClick={onLeave}>{leave}</Button>
    {children}
  </div>
);
