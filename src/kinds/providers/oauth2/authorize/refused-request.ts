import type { Client } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';

/** An error that is shown to the user although its client is known: there is no verified address to send it to. */
export class RefusedRequest extends OAuthError {
  readonly client: Client;
  /** The address that the request named, if it is not registered. */
  readonly unregistered: string | null;

  constructor({ code, words, status, headers, cause }: OAuthError, client: Client, unregistered: string | null) {
    super(code, words, { status, headers, cause });
    this.client = client;
    this.unregistered = unregistered;
  }
}
