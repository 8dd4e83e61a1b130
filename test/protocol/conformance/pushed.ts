import * as oauth from 'oauth4webapi';
import { atThisServer, formOf, type Params, requestOf, type SuiteClient } from './suite-client.ts';

export interface Pushed {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly requestUri: string;
  /** What was pushed. */
  readonly sent: Params;
}

/** Pushes the usual authorization request (RFC 9126). */
export async function push(
  { metadata, client, auth, variant, server }: SuiteClient,
  more: Params = {},
  headers: Record<string, string> = {},
): Promise<Pushed> {
  const sent = requestOf(client, variant, more);
  const form = new URLSearchParams(formOf(sent));
  const options = { ...atThisServer(server), headers: new Headers(headers) };
  const response = await oauth.pushedAuthorizationRequest(metadata, client, auth, form, options);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, requestUri: String(body.request_uri ?? ''), sent };
}
