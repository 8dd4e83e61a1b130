import type { BannerProps } from '../resource-page.ts';
import { AtSignIn } from './at-sign-in.tsx';
import { OtherSide } from './other-side.tsx';

/** What connects a source: its addresses for the other side, and its place on the sign-in page. */
export const AboveSource = (props: BannerProps) => (
  <>
    <OtherSide {...props} />
    <AtSignIn {...props} />
  </>
);
