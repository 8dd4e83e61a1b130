import type { AnchorHTMLAttributes } from 'react';
import { NavigationLink } from '../page/navigation.tsx';
import { goTo } from './address.ts';

type Props = { readonly href: string } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** A link to another page of the administration. */
export const Link = (props: Props) => <NavigationLink {...props} go={goTo} />;
