import { apiFetch, errorMessage } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import type { BulkResponse } from '../../api/types.ts';
import { known } from '../../texts/texts.ts';
import type { Row } from './objects.ts';

export interface BulkWrite {
  /** Of the object, as the API has it. */
  readonly path: string;
  readonly changes?: Row;
  readonly delete?: boolean;
}

/** What the same write by itself would have been answered. */
export type BulkResult = BulkResponse['results'][number];

/** The server takes no more at once. */
const maxTried = 100;
/** Few, so that one sees how far it is. */
const maxWritten = 10;

/** What would come of writes, without writing: one request for each hundred. */
export const tryInBulk = (writes: readonly BulkWrite[]): Promise<BulkResult[]> =>
  sendParts(writes, maxTried, '/admin/bulk/?dry_run=true');

/** Writes, and tells how many are done. */
export const writeInBulk = (writes: readonly BulkWrite[], tell: (done: number) => void): Promise<BulkResult[]> =>
  sendParts(writes, maxWritten, '/admin/bulk/', tell);

async function sendParts(
  writes: readonly BulkWrite[],
  size: number,
  path: string,
  tell?: (done: number) => void,
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (let at = 0; at < writes.length; at += size) {
    const part = { writes: writes.slice(at, at + size) };
    results.push(...(await apiFetch<BulkResponse>('POST', path, part)).results);
    tell?.(results.length);
  }
  return results;
}

/** Why a write was refused; null if it was not. */
export function refusalOf({ status, body }: BulkResult): ApiProblem | null {
  return status < 400 ? null : new ApiProblem(status, body, '');
}

/** The same in words, with the labels of members. */
export function refusalWords(result: BulkResult, labelOf: (name: string) => string | undefined): string | null {
  const refusal = refusalOf(result);
  if (!refusal) return null;
  const fields = Object.entries(refusal.fields);
  if (fields.length === 0) return errorMessage(refusal);
  return fields
    .map(([name, texts]) => [labelOf(name), texts.map(known).join(' ')].filter(Boolean).join(': '))
    .join(' ');
}
