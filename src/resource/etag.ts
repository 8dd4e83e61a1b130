import { hash } from 'node:crypto';
import { Problem } from '../lib/problem.ts';
import type { Call } from './call.ts';

/** Identifies the state of an object: equal bodies have equal tags. */
export const etagOf = (body: string): string => `"${hash('sha1', body, 'base64url')}"`;

/** Whether one of the tags in an `If-Match` or `If-None-Match` header is this one. */
export function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Refuses a write to an object that has changed since the caller read it. */
export async function checkIfMatch(call: Call, show: () => Promise<unknown>): Promise<void> {
  const header = call.request.header('if-match');
  if (header === undefined) return;
  if (!matchesEtag(header, etagOf(JSON.stringify(await show())))) throw new Problem('precondition_failed');
}
