import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';
import { safeAddress } from '../flow/safe-address.ts';

/** Every path of these pages begins with it. */
export const home = '/if/user/';

const moved = 'account:moved';

function listen(onMove: () => void): () => void {
  for (const name of ['popstate', moved]) addEventListener(name, onMove);
  return () => {
    for (const name of ['popstate', moved]) removeEventListener(name, onMove);
  };
}

/** The part of the path that names the section: `sessions` of `/if/user/sessions/`. */
export function useSlug(): string {
  return useSyncExternalStore(listen, () => location.pathname.slice(home.length).split('/')[0] ?? '');
}

export const pathOf = (slug: string): string => (slug === '' ? home : `${home}${slug}/`);

/** An address that leads back to a section in the end; null for one that is no place. */
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

/** A link to another section. It is a real one: it opens in a new window for those who ask for that. */
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
