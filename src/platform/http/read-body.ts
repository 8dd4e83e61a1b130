import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import { maxPieces } from '../max-pieces.ts';

const nothing = Buffer.alloc(0);
/** Closes the connection instead of reading the rest of the body. */
const abort = (code: 'payload_too_large' | 'bad_request' | 'unavailable') =>
  new Problem(code, undefined, { connection: 'close' });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] !== undefined && headers['content-length'] !== '0') ||
  headers['transfer-encoding'] !== undefined;

/** Reads a body. Throws as soon as it exceeds a limit, without reading the rest. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tryReserve: (bytes: number) => boolean = () => true,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reject(abort('payload_too_large'));
    const pieces: Buffer[] = [];
    let size = 0;
    const limitExceeded = () => {
      if (size > maxBytes) return 'payload_too_large';
      if (pieces.length > maxPieces) return 'bad_request';
      return tryReserve(size) ? null : 'unavailable';
    };
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      const limit = limitExceeded();
      if (limit === null) return;
      pieces.length = 0;
      request.pause().removeAllListeners('data');
      reject(abort(limit));
    });
    request.on('end', () => resolve(pieces.length === 1 ? (pieces[0] ?? nothing) : Buffer.concat(pieces)));
    // The connection is closed: there is no client to respond to.
    request.on('error', () => reject(new Problem('bad_request')));
  });
}

/** Discards the rest of a body, so that the client can receive the response. */
export function skipRest(request: IncomingMessage): void {
  let pieces = 0;
  request.on('data', () => {
    pieces += 1;
    if (pieces > maxPieces) request.destroy();
  });
}
