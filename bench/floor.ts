import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Recipe, render } from './recipe.ts';

/** Runs the statements of recipes on a database, prepared beforehand. */
export interface FloorStore {
  prepare(recipe: Recipe): RunRecipe;
}
export type RunRecipe = (keys: readonly string[], name: string) => void | Promise<void>;

const maxText = 4_096;

interface Handler {
  readonly recipe: Recipe;
  readonly run: RunRecipe;
  /** Of an answer that is the same each time. */
  readonly fixedBody: string | Buffer | null;
}

/**
 * The least that a server on Node and this database must do: read the request, run the statements, write the bytes. No
 * routing, no checks, no JSON made from rows.
 */
export function createFloor(store: FloorStore): { server: Server; load(recipes: readonly Recipe[]): void } {
  const handlers = new Map<string, Handler>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, target } = targetIn(request.url ?? '');
    const handler = handlers.get(`${request.method} ${request.url}`) ?? handlers.get(`${request.method} ${path}`);
    if (!handler) return void response.writeHead(404, { 'content-length': 0 }).end();
    const { recipe, run, fixedBody } = handler;
    const keys = Array.from({ length: recipe.freshKeys }, () => randomUUID() as string);
    const name = recipe.isWrite && request.method !== 'DELETE' ? ((await readJson(request)).name ?? '') : target;
    const running = run(keys, name);
    if (running) await running;
    const body = fixedBody ?? render(recipe.body, keys, name);
    const length = recipe.status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))];
    response.writeHead(recipe.status, [...recipe.headers, ...length]);
    response.end(body);
  }

  return {
    server: createServer((request, response) => {
      answer(request, response).catch((error) => {
        console.error(error);
        response.writeHead(500, { 'content-length': 0 }).end();
      });
    }),
    load(recipes) {
      handlers.clear();
      for (const recipe of recipes) {
        const isFixed = recipe.body.every((part) => typeof part === 'string');
        handlers.set(`${recipe.method} ${recipe.path}`, {
          recipe,
          run: store.prepare(recipe),
          fixedBody: isFixed ? cheapest(recipe.body.join('')) : null,
        });
      }
    },
  };
}

/** The path of the requests that are all alike but for the key at its end. */
function targetIn(url: string): { readonly path: string; readonly target: string } {
  const [, start = url, target = ''] = /^(.*\/)(\d+)\/$/.exec(url) ?? [];
  return { path: target === '' ? url : `${start}{target}/`, target };
}

/** Node sends short text in one piece with the headers, but encodes text at each use. */
const cheapest = (text: string): string | Buffer => (text.length < maxText ? text : Buffer.from(text));

function readJson(request: IncomingMessage): Promise<{ name?: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    request.on('error', reject);
  });
}
