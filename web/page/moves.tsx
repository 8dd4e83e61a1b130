import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

/** Browsers tell of moves through the history, not of new entries. */
const moved = 'page:moved';

function listen(onMove: () => void): () => void {
  for (const name of ['popstate', moved]) addEventListener(name, onMove);
  return () => {
    for (const name of ['popstate', moved]) removeEventListener(name, onMove);
  };
}

/** What is read of the address of the page, anew after each move. */
export const useLocation = (read: () => string): string => useSyncExternalStore(listen, read);

interface Move {
  /** Whether another page is shown there. */
  readonly isOtherPage: boolean;
  /** Replaces the history entry, for text that is typed letter by letter. */
  readonly replace?: boolean;
}

/** Shows another address without loading the document anew. */
export function moveTo(url: string | URL, { isOtherPage, replace = false }: Move): void {
  const state = { isMove: isOtherPage };
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  if (isOtherPage) scrollTo(0, 0);
  dispatchEvent(new Event(moved));
}

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string; go(href: string): void };

/** A link that `go` follows. A real one, so that it can be opened in a new window. */
export function MovingLink({ href, go, onClick, children, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(href);
  }
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
