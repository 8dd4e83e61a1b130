import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Bare handler: parses a document and stores it by one durable write. */
type Store = (id: string, body: string) => unknown;

const [kind, place = ''] = process.argv.slice(2);
const table = 'create table documents (id text primary key, body text not null)';
const store = kind === 'postgres' ? await postgresStore(place) : sqliteStore(place);

function sqliteStore(path: string): Store {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${table}`);
  const insert = database.prepare('insert into documents values (?, ?)');
  return (id, body) => insert.run(id, body);
}

async function postgresStore(url: string): Promise<Store> {
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(table);
  return (id, body) =>
    pool.query({ name: 'insert', text: 'insert into documents values ($1, $2)', values: [id, body] });
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const document = JSON.parse(Buffer.concat(chunks).toString());
  const id = randomUUID();
  const body = JSON.stringify({ ...document, id });
  await store(id, body);
  response.writeHead(201, { 'content-type': 'application/scim+json' }).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
