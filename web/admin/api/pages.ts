import { createContext, use, useCallback } from 'react';
import type { OpenApiDocument } from '../../../src/resource/document/openapi-types.ts';
import { apiFetch } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import type { AdminPage } from '../../api/types.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import { known } from '../../texts/texts.ts';
import { type Description, describe } from './description.ts';
import { inWords, type Names, namesOf } from './objects.ts';

/** What a path answers, with the names of what it refers to. */
export interface PageAnswer<T = unknown> {
  readonly answer: T;
  /** Names the state of an object; empty for all else. */
  readonly etag: string;
  readonly names: Names;
  /** Whether the list has more rows than its count. */
  readonly isAtLeast: boolean;
}

/** What pages read of resources. Whatever is asked for at the same time is one request (`admin_page_retrieve`). */
export interface Pages {
  /** With the path of what the page reads next, one request answers both. */
  describe(path: string, next?: string): Promise<Description>;
  /** Drops the cached responses of a page that was left: they would be out of date on return. */
  leave(next: string): void;
  /** A list, an object, or what is read below one. */
  read<T>(path: string): Promise<PageAnswer<T>>;
}

type Answered = Omit<AdminPage, 'document'> & { readonly document: OpenApiDocument | null };

interface Part {
  readonly answer: PageAnswer<never>;
  readonly document: OpenApiDocument | null;
}

interface Waiting {
  readonly path: string;
  readonly under: string | null;
  resolve(part: Promise<Part>): void;
}

const maxPaths = 5;

export function createPages(): Pages {
  const described = new Map<string, Promise<Description>>();
  let waiting: Waiting[] = [];
  /** Read with a description already, and wanted next. */
  let ahead: { readonly path: string; readonly part: Promise<Part> } | null = null;

  function ask(path: string, under: string | null): Promise<Part> {
    if (waiting.length === 0) queueMicrotask(sendAll);
    return new Promise((resolve) => waiting.push({ path, under, resolve }));
  }

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    while (all.length > 0) send(all.splice(0, maxPaths));
  }

  /** One document at most comes with a request: pages are about one kind of thing. */
  function send(parts: readonly Waiting[]): void {
    const under = parts.find((one) => one.under !== null)?.under;
    const query = new URLSearchParams([
      ...parts.map(({ path }) => ['path', path]),
      ...(under ? [['document', under]] : []),
    ]);
    const answered = apiFetch<Answered>('GET', `/admin/page/?${query}`);
    for (const [at, { resolve }] of parts.entries()) resolve(answered.then((found) => partOf(found, at)));
  }

  const askAlone = (path: string): Promise<OpenApiDocument> =>
    apiFetch('GET', `/schema/?under=${encodeURIComponent(path)}`);

  async function askWith(path: string, next: string): Promise<OpenApiDocument> {
    const part = ask(next, path);
    ahead = { path: next, part };
    // What cannot be read is described all the same.
    return (await part.catch(() => null))?.document ?? askAlone(path);
  }

  return {
    describe(path, next) {
      let description = described.get(path);
      if (!description) {
        const document = next === undefined ? askAlone(path) : askWith(path, next);
        description = document.then((found) => describe(path, found, known));
        described.set(path, description);
        description.catch(() => described.delete(path));
      }
      return description;
    },
    leave(next) {
      if (ahead?.path === next) ahead = null;
    },
    async read(path) {
      const early = ahead?.path === path ? ahead.part : null;
      ahead = null;
      return (await (early ?? ask(path, null))).answer;
    },
  };
}

function partOf({ answers, names, document }: Answered, at: number): Part {
  const { status, body, etag, is_at_least } = answers[at] ?? missing;
  if (status >= 400 || body === null) throw new ApiProblem(status, body, '');
  // The caller knows what the path answers.
  const answer = {
    answer: body as never,
    etag: etag ?? '',
    names: namesOf(names.map(inWords)),
    isAtLeast: is_at_least,
  };
  return { answer, document };
}

const missing = { status: 404, body: null, etag: null, is_at_least: false };

export const PagesContext = createContext<Pages>(createPages());

/** A list, an object, or what is read below one; with the names of what it refers to. */
export function usePage<T>(path: string): Loadable<PageAnswer<T>> {
  const pages = use(PagesContext);
  return useLoadable(useCallback(() => pages.read<T>(path), [pages, path]));
}

/** The same, without the names. */
export function usePart<T>(path: string): Loadable<T> {
  const pages = use(PagesContext);
  return useLoadable(useCallback(async () => (await pages.read<T>(path)).answer, [pages, path]));
}
