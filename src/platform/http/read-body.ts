import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';

const nothing = Buffer.alloc(0);
/** Closes the connection instead of reading the rest of the body. */
const tooLarge = () => new Problem('payload_too_large', undefined, { connection: 'close' });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] !== undefined && headers['content-length'] !== '0') ||
  headers['transfer-encoding'] !== undefined;

/** Reads a body. Throws as soon as it exceeds the limit, without reading the rest. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reject(tooLarge());
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      request.pause().removeAllListeners('data');
      reject(tooLarge());
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks)));
    // The connection is closed: nobody gets the response.
    request.on('error', () => reject(new Problem('bad_request')));
  });
}
