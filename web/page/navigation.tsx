import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

/** Browsers send events for moves through the history, not for new entries. */
const moved = 'page:moved';

function listen(onMove: () => void): () => void {
  for (const name of ['popstate', moved]) addEventListener(name, onMove);
  return () => {
    for (const name of ['popstate', moved]) removeEventListener(name, onMove);
  };
}

/** Reads from the page's address, and again after each navigation. */
export const useLocation = (read: () => string): string => useSyncExternalStore(listen, read);

interface Move {
  /** Whether another page is shown there. */
  readonly isOtherPage: boolean;
  /** Replaces the history entry, for text that is typed letter by letter. */
  readonly replace?: boolean;
}

/** Navigates without reloading the document (client-side routing). */
export function navigate(url: string | URL, { isOtherPage, replace = false }: Move): void {
  const state = { isMove: isOtherPage };
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  if (isOtherPage) scrollTo(0, 0);
  dispatchEvent(new Event(moved));
}

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string; go(href: string): void };

/** A link that navigates by `go`. A real link, so that it can be opened in a new window. */
export function NavigationLink({ href, go, onClick, children, ...rest }: Props) {
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
