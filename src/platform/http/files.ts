import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { Problem } from '../../lib/problem.ts';
import { decoded } from './router.ts';
import type { HandleCall } from './routes.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Best first. */
const codings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/**
 * Serves the files of a folder under a route that ends in `*`. Files are read once, at start: no request reaches the
 * disk, so path traversal is impossible. Precompressed variants (`app.js.br`) are served if present.
 */
export function serveFolder(folder: string, cacheControl: string): HandleCall {
  const files = readFiles(folder);
  // On first use: hashing all files would take 25 ms of each start.
  const etagOf = memoizeWeakly((body: Buffer) => `"${hash('sha256', body, 'base64url')}"`);
  return async ({ facts, params }) => {
    const name = decoded(params['*'] ?? '') ?? '';
    const accepted = facts.header('accept-encoding') ?? '';
    const coding = codings.find(({ name: word, extension }) => accepts(accepted, word) && files.has(name + extension));
    const plain = files.get(name);
    if (!plain) throw new Problem('not_found');
    const body = (coding && files.get(name + coding.extension)) ?? plain;
    const etag = etagOf(body);
    const headers = {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'cache-control': cacheControl,
      etag,
      vary: 'accept-encoding',
      ...(coding && { 'content-encoding': coding.name }),
    };
    if (facts.header('if-none-match') === etag) return { status: 304, headers };
    return { status: 200, headers, body };
  };
}

function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

/** Whether an `Accept-Encoding` header accepts this coding (RFC 9110 §12.5.3). */
const accepts = (header: string, coding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', weight = ''] = part.split(';');
    return name.trim().toLowerCase() === coding && !/^\s*q=0(\.0*)?\s*$/i.test(weight);
  });
