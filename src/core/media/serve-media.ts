import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Routes } from '../../platform/http/routes.ts';
import { findMedia, mediaPrefix } from './media-store.ts';

// An SVG that is opened directly is a document: it gets no scripts, plugins, origin or requests (stored XSS).
const disarmed = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Serves uploaded images. Names are immutable, so browsers may cache them forever. */
export function mountMedia(routes: Routes, db: Database): void {
  routes.on(['GET'], `${mediaPrefix}{name}`, async ({ facts, params }) => {
    const file = await findMedia(params.name ?? '', db.read);
    if (!file) throw new Problem('not_found');
    const etag = `"${file.sha256}"`;
    const headers = {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': disarmed,
      etag,
    };
    if (facts.header('if-none-match') === etag) return { status: 304, headers };
    return { status: 200, headers: { ...headers, 'content-type': file.type }, body: file.bytes };
  });
}
