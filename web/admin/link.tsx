import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { goTo } from './address.ts';

type Props = { readonly href: string } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** A client-side link that still opens in new windows and tabs. */
export function Link({ href, onClick, children, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    goTo(href);
  }
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
