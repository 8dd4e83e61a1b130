import { hash, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { ReadyRequest } from './supply.ts';

/** An answer of the server, to be given by the floor too. */
export interface FloorOrder {
  readonly headers: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** The members of the body that are signed anew for each request; one transaction stores that they were. */
  readonly signed: readonly string[];
  /** For answers that are only looked up: the requests that will come, each to be found by what it carries. */
  readonly known: readonly ReadyRequest[];
}

type Work = (request: IncomingMessage, form: string) => string;

/**
 * The least that a token endpoint must do: read the request, sign, make it durable, answer; or find the client, the token
 * and its user by their keys. It checks nothing and makes nothing of what it finds.
 */
export function createOAuthFloor(
  key: KeyObject,
  path: string,
): { handle: RequestListener; load(order: FloorOrder): void } {
  const database = new DatabaseSync(path);
  // As the server opens its own.
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table clients (id text primary key, settings text) without rowid;
    create table users (pk integer primary key, facts text);
    create table tokens (hash text primary key, user integer, claims text) without rowid;
    insert into clients values ('client', '{}'); insert into users values (1, '{}')`);
  const insert = database.prepare('insert or replace into tokens (hash, user, claims) values (?, 1, ?)');
  const client = database.prepare('select * from clients where id = ?');
  const token = database.prepare('select * from tokens where hash = ?');
  const user = database.prepare('select * from users where pk = ?');
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

  function lookUp({ body, known }: FloorOrder): Work {
    for (const request of known) insert.run(nameOf(request), JSON.stringify(body));
    return (request, form) => {
      client.get('client');
      const found = token.get(nameOf({ authorization: request.headers.authorization ?? '', form: form || null }));
      if (!found) throw new Error('no such token');
      user.get(found.user as number);
      return JSON.stringify(body);
    };
  }

  return {
    handle: (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = work(request, Buffer.concat(chunks).toString());
        response.writeHead(200, [...headers, 'content-length', String(Buffer.byteLength(body))]).end(body);
      });
    },
    load(order) {
      headers = order.headers;
      work = order.signed.length > 0 ? issue(order) : lookUp(order);
    },
  };
}

const nameOf = ({ authorization, form }: ReadyRequest): string => hash('sha256', form ?? authorization);

const signatureOf = (key: KeyObject, text: string): string =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
