import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';
import { safeAddress } from '../flow/safe-address.ts';

/** The prefix of all paths of these pages. */
export const home = '/if/user/';

const moved = 'account:moved';

function listen(onMove: () => void): () => void {
  for (const name of ['popstate', moved]) addEventListener(name, onMove);
  return () => {
    for (const name of ['popstate', moved]) removeEventListener(name, onMove);
  };
}

/** The path segment that names the section: `sessions` in `/if/user/sessions/`. */
export function useSlug(): string {
  return useSyncExternalStore(listen, () => location.pathname.slice(home.length).split('/')[0] ?? '');
}

export const pathOf = (slug: string): string => (slug === '' ? home : `${home}${slug}/`);

/** An address that returns to a section in the end; undefined if it is not a safe one. */
export function returningTo(slug: string, address: string): string | undefined {
  const url = URL.parse(safeAddress(address) ?? '');
  url?.searchParams.set('next', pathOf(slug));
  return url?.href;
}

export function goTo(slug: string): void {
  history.pushState({ isMove: true }, '', pathOf(slug));
  scrollTo(0, 0);
  dispatchEvent(new Event(moved));
}

type Props = { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** A link to another section. A real link, so that it can be opened in a new window. */
export function SectionLink({ to, onClick, children, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    goTo(to);
  }
  return (
    <a {...rest} href={pathOf(to)} onClick={follow}>
      {children}
    </a>
  );
}
