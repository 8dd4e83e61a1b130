import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { HttpServer } from '../platform/http/server.ts';

// Two folders up from here, and from the bundle as well.
const folder = new URL('../../web/api-browser/', import.meta.url);

/** A page to read about the API and to try it out: `/api/v3/` itself, its parts under `/static/`. */
export async function mountApiBrowser({ pages, calls }: HttpServer, prefix: string): Promise<void> {
  await pages.register(fastifyStatic, {
    root: fileURLToPath(folder),
    prefix: '/static/api-browser/',
    index: false,
    decorateReply: false,
  });
  calls.on(['GET', 'HEAD'], `${prefix}/`, async () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    body: await readFile(new URL('index.html', folder)),
  }));
}
