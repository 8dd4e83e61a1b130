import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { asked, expectToldInEachMode, secretOf, sent, told } from '../../support/denied-request.ts';
import { made, unique } from '../../support/make-walk.ts';
import { makeRelyingParty, type RelyingParty, type Visit, visitor } from '../../support/relying-party.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const explicit = 'default-provider-authorization-explicit-consent';
const inside = 'nobody is told of this';
const codes = 'oauth2_authorization_codes';
const ofFragment = ({ location }: Visit) => Object.fromEntries(new URLSearchParams(location?.hash.slice(1)));
const ofQuery = ({ location }: Visit) => Object.fromEntries(location?.searchParams ?? []);

/** Lets nothing be stored in a table while something is done; by a disk that is full, if told. */
async function withBroken<T>(
  { kind, world: { db } }: TestServer,
  table: string,
  work: () => Promise<T>,
  isFull = false,
): Promise<T> {
  const run = (...texts: string[]) =>
    db.write(async (tx) => {
      for (const text of texts) await sql.raw(text).execute(tx);
    });
  const atInsert = `create trigger broken before insert on ${table}`;
  if (kind === 'postgres') {
    await run(
      `create function broken() returns trigger language plpgsql as
        $$ begin raise exception '${inside}' using errcode = '${isFull ? '53100' : 'P0001'}'; end $$`,
      `${atInsert} for each row execute function broken()`,
    );
  } else if (isFull) {
    await run(
      'create table filling (content blob)',
      `${atInsert} begin insert into filling values (zeroblob(10000000)); end`,
      'pragma max_page_count = 1',
    );
  } else {
    await run(`${atInsert} begin select raise(abort, '${inside}'); end`);
  }
  try {
    return await work();
  } finally {
    if (kind === 'postgres') await run(`drop trigger broken on ${table}`, 'drop function broken');
    else await run('pragma max_page_count = 4294967294', 'drop trigger broken', 'drop table if exists filling');
  }
}

const lines: Record<string, unknown>[] = [];
const log = createLog({ level: 'error', stream: { write: (line) => void lines.push(JSON.parse(line)) } });

describeOnBoth(
  'RFC 6749 §4.1.2.1: a fault of the server',
  (server) => {
    const idOf = ({ headers }: Visit) => headers.get('x-request-id') ?? '';
    const failed = (party: RelyingParty) => (visit: Visit) => ({
      ...told(server(), party),
      error: 'server_error',
      error_description: `The server failed. See the server log for request ${idOf(visit)}`,
    });

    /** Nothing of the inside is told, and all of it is found under the id of the request. */
    function expectLogged(visit: Visit, reason: RegExp): void {
      expect(`${visit.location} ${visit.text}`).not.toMatch(reason);
      const ofRequest = lines.filter(({ request_id, msg }) => request_id === idOf(visit) && msg === 'request failed');
      expect(ofRequest).toEqual([expect.objectContaining({ level: 'error' })]);
      expect(JSON.stringify(ofRequest)).toMatch(reason);
    }

    /** Shown to the person; no user is sent anywhere. */
    function expectPage(visit: Visit): void {
      expect([visit.status, visit.location]).toEqual([500, null]);
      expect(visit.text).toContain(idOf(visit));
      expect(visit.text).not.toContain('<form');
    }

    test('a fault reaches the client in its response mode, and the log', async () => {
      const party = await makeRelyingParty(server());
      const browser = await visitor(server());
      await withBroken(server(), codes, () =>
        expectToldInEachMode(
          server(),
          party,
          async (response_mode) => {
            const visit = await browser.authorize(asked(party, { response_mode }));
            expectLogged(visit, new RegExp(inside));
            return visit;
          },
          failed(party),
        ),
      );
      expect(ofQuery(await browser.authorize(asked(party)))).toHaveProperty('code');
    });

    test('in a mapping while tokens are issued reaches the client and the log', async () => {
      const { admin } = server();
      const broken = { name: unique('broken'), scope_name: 'broken', expression: 'return nobody.knows;' };
      const mapping = await made(server(), '/propertymappings/provider/scope/', broken);
      const party = await makeRelyingParty(server(), { grant_types: ['hybrid'] });
      const property_mappings = [...party.provider.property_mappings, mapping.pk];
      await admin.patch(`/providers/oauth2/${party.provider.pk}/`, { property_mappings });
      const browser = await visitor(server());
      const params = { response_type: 'code id_token', scope: 'openid broken', nonce: 'n' };
      const visit = await browser.authorize(asked(party, params));
      expect(ofFragment(visit)).toEqual(failed(party)(visit));
      expectLogged(visit, /nobody/);
    });

    test('in reading the signing key reaches the client', async () => {
      const pair = await server().admin.post('/crypto/certificatekeypairs/generate/', {
        common_name: unique('unreadable'),
        validity_days: 1,
        alg: 'ecdsa',
      });
      const party = await makeRelyingParty(server(), { signing_key: pair.body.pk, grant_types: ['implicit'] });
      await server().world.db.write((tx) =>
        sql`update certificates set key_data = 'not sealed' where pk = ${pair.body.pk}`.execute(tx),
      );
      const params = { response_type: 'id_token', nonce: 'n', prompt: 'none' };
      const visit = await (await visitor(server())).authorize(asked(party, params));
      // Everybody else goes on without it.
      await server().world.db.write((tx) => sql`delete from certificates where pk = ${pair.body.pk}`.execute(tx));
      expect(ofFragment(visit)).toEqual(failed(party)(visit));
    });

    test('a passing fault is reported as temporarily_unavailable', async () => {
      const party = await makeRelyingParty(server());
      const browser = await visitor(server());
      const visit = await withBroken(server(), codes, () => browser.authorize(asked(party, { prompt: 'none' })), true);
      expect(ofQuery(visit)).toEqual({
        ...told(server(), party),
        error: 'temporarily_unavailable',
        error_description: 'The server is busy. Try again shortly.',
      });
      expectLogged(visit, /full|nobody is told/);
    });

    test('after the flow reaches the client, and a second visit succeeds', async () => {
      const party = await makeRelyingParty(server(), {}, explicit);
      const browser = await visitor(server());
      await browser.authorize(asked(party, { response_mode: 'fragment' }));
      const to = await browser.agree(explicit);
      const visit = await withBroken(server(), codes, () => browser.visit(to));
      expect(ofFragment(visit)).toEqual(failed(party)(visit));
      expect(ofFragment(await browser.visit(to))).toHaveProperty('code');
    });

    test('reaches the client according to pushed or signed parameters', async () => {
      const party = await makeRelyingParty(server());
      const browser = await visitor(server());
      const { request_uri } = await sent(server(), 'par', { ...asked(party), ...secretOf(party) });
      const request = await new SignJWT({ ...asked(party) })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(party.clientId)
        .setAudience(told(server(), party).iss)
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(party.clientSecret));
      for (const params of [{ request_uri }, { request }]) {
        const beside = { client_id: party.clientId, state: 'beside', redirect_uri: 'https://evil.example/' };
        const visit = await withBroken(server(), codes, () => browser.authorize({ ...beside, ...params }));
        expect(ofQuery(visit)).toEqual(failed(party)(visit));
      }
    });

    test('a fault before client and redirect URI are verified is a page', async () => {
      const party = await makeRelyingParty(server(), {}, explicit);
      const browser = await visitor(server());
      await browser.authorize(asked(party));
      const to = await browser.agree(explicit);
      const { request_uri } = await sent(server(), 'par', { ...asked(party), ...secretOf(party) });
      for (const table of ['authorization_requests', 'oauth2_requests']) {
        await server().world.db.write((tx) => sql`update ${sql.table(table)} set content = 'not sealed'`.execute(tx));
      }
      expectPage(await browser.visit(to));
      expectPage(await browser.authorize({ ...asked(party), request_uri }));
    });
  },
  { log },
);
