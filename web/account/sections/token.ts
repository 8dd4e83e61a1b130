/** A token with which a program acts as the user; its key is shown on request only. */
export interface Token {
  readonly pk: string;
  readonly identifier: string;
  readonly intent: string;
  readonly description: string;
  readonly expires: string | null;
  readonly expiring: boolean;
  /** The only application that an app password opens. */
  readonly application: string | null;
}

export const tokensPath = '/core/tokens/';
