import type { FastifyInstance } from 'fastify';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import { findMedia, mediaPrefix } from './media-store.ts';

// An SVG that is opened by itself is a document: it gets no scripts, no plugins, no origin and nothing to fetch.
const disarmed = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Serves uploaded images. A name stands for the same bytes for ever, so browsers need not ask again. */
export function mountMedia(app: FastifyInstance, db: Database): void {
  app.get<{ Params: { name: string } }>(`${mediaPrefix}:name`, async (request, reply) => {
    const file = await findMedia(request.params.name, db.read);
    if (!file) return reply.code(404).send(new Problem('not_found').body());
    const etag = `"${file.sha256}"`;
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': disarmed,
      'x-content-type-options': 'nosniff',
      etag,
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(file.type).send(file.bytes);
  });
}
