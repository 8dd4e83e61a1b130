import type { Brand } from '../api/brand.ts';
import type { FlowInfo } from '../flow/challenge.ts';
import type { Identification } from '../flow/screens/identification.tsx';

/** What the preview shows: sent to its frame by the page around it. */
export interface Draft {
  readonly brand: Brand;
  readonly flow: FlowInfo;
  /** Null shows an example. */
  readonly screen: Identification | null;
}

export interface DraftMessage {
  readonly draft: Draft;
}

/** The frame sends it when it can receive drafts. */
export const readyMessage = 'preview ready';
