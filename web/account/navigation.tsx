import type { AnchorHTMLAttributes } from 'react';
import { safeAddress } from '../flow/safe-address.ts';
import { NavigationLink, navigate, useLocation } from '../page/navigation.tsx';

/** The prefix of all paths of these pages. */
export const home = '/if/user/';

/** The path segment that names the section: `sessions` in `/if/user/sessions/`. */
export function useSlug(): string {
  return useLocation(() => location.pathname.slice(home.length).split('/')[0] ?? '');
}

export const pathOf = (slug: string): string => (slug === '' ? home : `${home}${slug}/`);

/** An address that returns to a section in the end; undefined if it is not a safe one. */
export function returningTo(slug: string, address: string): string | undefined {
  const url = URL.parse(safeAddress(address) ?? '');
  url?.searchParams.set('next', pathOf(slug));
  return url?.href;
}

export const goTo = (slug: string): void => navigate(pathOf(slug), { isOtherPage: true });

type Props = { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** A link to another section. */
export const SectionLink = ({ to, ...rest }: Props) => (
  <NavigationLink {...rest} href={pathOf(to)} go={() => goTo(to)} />
);
