import './dialog.css';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface Props {
  readonly title: string;
  /** For tables and code. */
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** A modal dialog; moves the focus in, and back when it closes. */
export function Dialog({ title, isWide = false, onClose, children }: Props) {
  const place = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    // Closing restores the focus; removing the element does not.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={place} className={isWide ? 'dialog dialog-wide' : 'dialog'} aria-labelledby={id} onClose={onClose}>
      <div className="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
