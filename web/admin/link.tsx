import type { AnchorHTMLAttributes } from 'react';
import { MovingLink } from '../page/moves.tsx';
import { goTo } from './address.ts';

type Props = { readonly href: string } & AnchorHTMLAttributes<HTMLAnchorElement>;

/** A link to another page of the administration. */
export const Link = (props: Props) => <MovingLink {...props} go={goTo} />;
