import { hash } from 'node:crypto';
import { Problem } from '../../lib/problem.ts';
import type { Call, Reply } from '../call.ts';

/** Identifies the state of an object: equal bodies have equal tags. */
export const etagOf = (body: string): string => `"${hash('sha1', body, 'base64url')}"`;

/** Whether one of the tags in an `If-Match` or `If-None-Match` header is this one. */
export function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** The body of a read with its ETag, or only that if the caller has this state already. */
export function taggedReply({ request }: Call, value: unknown): Reply {
  const body = JSON.stringify(value);
  const etag = etagOf(body);
  const condition = request.header('if-none-match');
  if (condition !== undefined && matchesEtag(condition, etag)) return { status: 304, headers: { etag } };
  return { status: 200, body, headers: { etag, 'content-type': 'application/json' } };
}

/** Refuses a write to an object that has changed since the caller read it. */
export async function checkIfMatch(call: Call, show: () => Promise<unknown>): Promise<void> {
  const header = call.request.header('if-match');
  if (header === undefined) return;
  if (!matchesEtag(header, etagOf(JSON.stringify(await show())))) throw new Problem('precondition_failed');
}
