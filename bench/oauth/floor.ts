import { hash, type KeyObject, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

/** An answer of the server, to be given by the floor too. */
export interface FloorOrder {
  readonly headers: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** The members of the body that are signed for each request; one transaction stores that they were. */
  readonly signed: readonly string[];
}

type Work = () => string;

/**
 * The least that a token endpoint must do: read the request, sign, make it durable, answer. It checks nothing. What
 * gives out no tokens is measured by the cost of a signature too, and stores nothing.
 */
export function createOAuthFloor(
  key: KeyObject,
  path: string,
): { handle: RequestListener; load(order: FloorOrder): void } {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table tokens (hash text primary key, user integer, claims text) without rowid`);
  const insert = database.prepare('insert or replace into tokens (hash, user, claims) values (?, 1, ?)');
  let headers: readonly string[] = [];
  let work: Work = () => '';

  /** Everything but the signature stays the same: it is the signature that costs. */
  function issue({ body, signed }: FloorOrder): Work {
    const unsigned = signed.map((name) => [name, String(body[name]).split('.').slice(0, 2).join('.')] as const);
    return () => {
      const tokens: Record<string, string> = {};
      for (const [name, text] of unsigned) tokens[name] = `${text}.${signatureOf(key, text)}`;
      insert.run(hash('sha256', Object.values(tokens).join()), unsigned[0]?.[1] ?? '');
      return JSON.stringify({ ...body, ...tokens });
    };
  }

  function signOnly({ body }: FloorOrder): Work {
    const text = JSON.stringify(body);
    return () => {
      signatureOf(key, text);
      return JSON.stringify(body);
    };
  }

  return {
    handle: (request, response) => {
      request.resume();
      request.on('end', () => {
        const body = work();
        response.writeHead(200, [...headers, 'content-length', String(Buffer.byteLength(body))]).end(body);
      });
    },
    load(order) {
      headers = order.headers;
      work = order.signed.length > 0 ? issue(order) : signOnly(order);
    },
  };
}

const signatureOf = (key: KeyObject, text: string): string =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
