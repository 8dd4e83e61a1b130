import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import { readBody } from './read-body.ts';

/** The contents of a form with a file. */
export interface Upload {
  readonly bytes: Buffer;
  readonly fields: Readonly<Record<string, string>>;
}

export const isUpload = ({ headers }: IncomingMessage): boolean => /^multipart\//i.test(headers['content-type'] ?? '');

const maxFileBytes = 5 * 1024 * 1024;
const roomForFields = 64 * 1024;

/** Reads a multipart body (RFC 7578) with at most one file. */
export async function readUpload(request: IncomingMessage): Promise<Upload> {
  const type = request.headers['content-type'] ?? '';
  if (!isUpload(request)) throw new Problem('unsupported_media_type', `Unsupported media type "${type}" in request.`);
  const form = await parse(await readBody(request, maxFileBytes + roomForFields), type);
  const fields: [string, string][] = [];
  const files: File[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.push([name, value]);
    else files.push(value);
  }
  const [file, another] = files;
  if (another || (file && file.size > maxFileBytes)) throw new Problem('payload_too_large');
  return { bytes: file ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0), fields: Object.fromEntries(fields) };
}

async function parse(body: Buffer, type: string): Promise<FormData> {
  try {
    // Bodies are read into buffers of their own, which are never shared.
    return await new Response(body as Buffer<ArrayBuffer>, { headers: { 'content-type': type } }).formData();
  } catch {
    // `formData` throws only for bodies that it cannot parse.
    throw new Problem('parse_error', 'The multipart body cannot be read.');
  }
}
