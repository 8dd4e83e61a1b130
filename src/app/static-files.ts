import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serveFolder } from '../platform/http/files.ts';
import type { Routes } from '../platform/http/routes.ts';

// Two folders up from here, and from the bundle as well.
const web = new URL('../../web/', import.meta.url);
const folder = (name: string) => fileURLToPath(new URL(name, web));

/** Default images of objects. */
export function mountStaticFiles(routes: Routes): void {
  routes.on(['GET'], '/static/*', serveFolder(folder('static/'), 'public, max-age=3600'));
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
