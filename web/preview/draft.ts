import type { CurrentBrand, SignInPreview } from '../api/types.ts';
import type { FlowInfo } from '../flow/challenge.ts';

/** What the preview shows: sent to its frame by the page around it. */
export interface Draft {
  readonly brand: CurrentBrand;
  readonly flow: FlowInfo;
  /** Null shows an example. */
  readonly screen: SignInPreview['screen'];
}

export interface DraftMessage {
  readonly draft: Draft;
}

/** The frame sends it when it can receive drafts. */
export const readyMessage = 'preview ready';
