import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serveFolder } from '../platform/http/files.ts';
import type { Routes } from '../platform/http/routes.ts';

// Two folders up from here, and from the bundle as well.
const web = new URL('../../web/', import.meta.url);
const folder = (name: string) => fileURLToPath(new URL(name, web));

/** The images that objects show before anybody gives them their own. */
export function mountStaticFiles(routes: Routes): void {
  routes.on(['GET'], '/static/*', serveFolder(folder('static/'), 'public, max-age=3600'));
}

/** A page to read about the API and to try it out: `/api/v3/` itself, its parts under `/static/`. */
export function mountApiBrowser(routes: Routes, prefix: string): void {
  routes.on(['GET'], '/static/api-browser/*', serveFolder(folder('api-browser/'), 'public, max-age=0'));
  routes.on(['GET'], `${prefix}/`, async () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    body: await readFile(new URL('api-browser/index.html', web)),
  }));
}
