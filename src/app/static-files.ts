import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brandStyleAt } from '../lib/brand-colours.ts';
import { Problem } from '../lib/problem.ts';
import { serveFolder } from '../platform/http/files.ts';
import type { Routes } from '../platform/http/routes.ts';

// Two folders up from here, and from the bundle as well.
const web = new URL('../../web/', import.meta.url);
const folder = (name: string) => fileURLToPath(new URL(name, web));

/** Default images of objects. */
export function mountStaticFiles(routes: Routes): void {
  routes.on(['GET'], '/static/*', serveFolder(folder('static/'), 'public, max-age=3600'));
}

/** The colours of brands. Pages have no inline styles, and an address that names the colours never goes stale. */
export function mountBrandStyles(routes: Routes): void {
  routes.on(['GET'], '/static/brand/*', async ({ facts }) => {
    const body = brandStyleAt(facts.path);
    if (body === null) throw new Problem('not_found');
    const headers = {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    };
    return { status: 200, headers, body };
  });
}

/** The API browser at `/api/v3/`; its assets are under `/static/`. */
export function mountApiBrowser(routes: Routes, prefix: string): void {
  routes.on(['GET'], '/static/api-browser/*', serveFolder(folder('api-browser/'), 'public, max-age=0'));
  routes.on(['GET'], `${prefix}/`, async () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    body: await readFile(new URL('api-browser/index.html', web)),
  }));
}
