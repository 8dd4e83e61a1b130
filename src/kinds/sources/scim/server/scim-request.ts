import { bodyLimits, hasMoreParts, isDeeperThan } from '../../../../lib/json.ts';
import { parseJsonBytes } from '../../../../lib/parse-json-bytes.ts';
import type { HttpCall } from '../../../../platform/http/routes.ts';
import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import type { Call } from '../../../../resource/call.ts';
import { findUnstorable } from '../../../../resource/fields/well-formed.ts';
import type { Engine } from '../../../../resource/resource.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import type { ScimSource } from './authenticate.ts';

export interface ScimServerDependencies {
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  readonly publicUrl: string;
}

/** One request of a client that has proven which source it is, or one operation of a bulk request. */
export interface ScimRequest {
  readonly needs: ScimServerDependencies;
  /** In the name of the account of the source. */
  readonly call: Call;
  readonly source: ScimSource;
  readonly method: string;
  /** The segments below `/v2`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  body(): unknown;
}

export interface ScimResponse {
  readonly status: number;
  readonly body?: ScimObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export const baseUrl = ({ needs, source }: ScimRequest): string => `${needs.publicUrl}/source/scim/${source.slug}/v2`;

const deepestBody = 20;
/** The limit of bulk requests in `ServiceProviderConfig`; other bodies are bounded by the server. */
export const maxBytes = 1024 * 1024;

export function readBody({ facts, body: bytes }: HttpCall): unknown {
  const type = facts.header('content-type') ?? 'application/scim+json';
  if (!/^application\/(scim\+)?json\s*(;|$)/i.test(type)) {
    throw new ScimError(415, 'The body must be of type application/scim+json.');
  }
  if (bytes.length > maxBytes) throw new ScimError(413, `The body is larger than ${maxBytes} bytes.`);
  const body = parse(bytes);
  if (hasMoreParts(body, bodyLimits)) throw new ScimError(413, 'The body has too many members or elements.', 'tooMany');
  if (isDeeperThan(body, deepestBody)) throw new ScimError(400, 'The body is nested too deeply.', 'invalidSyntax');
  const complaint = findUnstorable(body);
  if (complaint) throw new ScimError(400, complaint, 'invalidValue');
  return body;
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJsonBytes(bytes);
  } catch {
    throw new ScimError(400, 'The request body is not valid JSON.', 'invalidSyntax');
  }
}
