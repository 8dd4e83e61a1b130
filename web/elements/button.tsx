import './button.css';
import type { ButtonHTMLAttributes, ReactNode } from 'react';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` for the one thing to do here, `danger` for what cannot be undone, `quiet` for what looks like a link. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** Shows a spinner and ignores clicks. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export function Button({ look = 'plain', isBusy = false, type = 'button', onClick, children, ...rest }: Props) {
  // Not `disabled`: that would lose the focus of keyboard users.
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
