import './button.css';
import type { ButtonHTMLAttributes, ReactNode } from 'react';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` for the one thing to do here, `danger` for what cannot be undone, `quiet` for what looks like a link. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** Something that was begun with it is under way: it shows so, and cannot be pressed again. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export function Button({ look = 'plain', isBusy = false, type = 'button', onClick, children, ...rest }: Props) {
  // Not `disabled`: a button that loses the focus while it works throws those who use a keyboard back to the top.
  return (
    <button
      {...rest}
      type={type}
      className={`button button-${look}`}
      aria-disabled={isBusy || rest['aria-disabled']}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && <span className="spinner" aria-hidden="true" />}
      <span>{children}</span>
    </button>
  );
}
