import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemCall } from '../../src/app/system-call.ts';
import { SealedSecretError } from '../../src/platform/keys.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { serve } from '../contract/every-resource.ts';
import { createMaker, type Sample } from '../contract/maker.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { makeRelying, post } from '../support/oauth2.ts';
import { giveApp, password, personWithPassword, stillClock } from '../support/second-factor.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

// Whoever can write to the database could move a secret they know into a row they do not own.
describeOnBoth(
  'a sealed value can be opened in its own row only',
  (server) => {
    const write = (statement: RawBuilder<unknown>) => server().world.db.write((tx) => statement.execute(tx));

    /** The secret column of one row over that of another. */
    const move = (table: string, column: string, from: string | number, to: string | number) =>
      write(sql`update ${sql.table(table)} set ${sql.ref(column)} =
        (select other.${sql.ref(column)} from ${sql.table(table)} as other where other.pk = ${from}) where pk = ${to}`);

    const secretsOf = ({ allFields }: Resource) =>
      Object.entries(allFields).flatMap(([name, field]) => (field.kind === 'secret' ? [name] : []));

    const defaultRedirect = ({ family, table }: Resource, column: string) =>
      family && Object.hasOwn(family.fields, column) ? family.table : table;

    const load = ({ world, app }: TestServer, { resource, pk }: Sample) => {
      const call = systemCall(world.db, app.resourceWorld, world.clock.now());
      return app.engine.stored(resource, call)(call, world.db.read, pk);
    };

    describe('when moved to another row', () => {
      test('no secret of any resource can be opened, and lists still show the other objects', async () => {
        const { make } = createMaker(server());
        const resources = server().app.engine.registry.resources.filter((resource) => secretsOf(resource).length > 0);
        expect(resources.length).toBeGreaterThan(10);
        for (const resource of resources) {
          const makeListed = async () => {
            const sample = await make(resource.model);
            await serve(server(), resource, sample.pk);
            return sample;
          };
          const [own, other] = [await makeListed(), await makeListed()];
          for (const column of secretsOf(resource)) {
            const table = defaultRedirect(resource, column);
            const before = await load(server(), other);
            expect(before?.[column], `${resource.model}.${column}`).toBeTruthy();
            await move(table, column, own.pk, other.pk);
            await expect(load(server(), other), `${resource.model}.${column}`).rejects.toThrow(SealedSecretError);
            expect((await load(server(), own))?.[column]).toBeTruthy();
            if (!resource.verbs.includes('list')) continue;
            const { status, body } = await server().admin.get(`${resource.path}?page_size=100`);
            expect([resource.model, status]).toEqual([resource.model, 200]);
            expect(body.results.length).toBeGreaterThan(1);
            const shown = (await server().admin.get(other.path)).body;
            if (column in shown) expect(shown[column]).toBeNull();
            // What follows meets a row that is whole again.
            await write(sql`delete from ${sql.table(resource.rootTable)} where pk = ${other.pk}`);
            Object.assign(other, await makeListed());
          }
        }
      });

      test('a client secret is refused', async () => {
        const [known, target] = [await makeRelying(server()), await makeRelying(server())];
        await move('provider_oauth2', 'client_secret', known.provider.pk, target.provider.pk);
        const form = { grant_type: 'client_credentials', client_id: target.provider.client_id };
        const answer = await post(server(), 'token', { ...form, client_secret: known.provider.client_secret });
        expect(answer.status).toBe(500);
        expect(answer.text).not.toContain('access_token');
        expect(
          (await post(server(), 'token', { grant_type: 'client_credentials' }, { authorization: known.basic })).status,
        ).toBe(200);
      });

      test('the key of a TOTP device accepts no codes', async () => {
        const [thief, victim] = [await personWithPassword(server()), await personWithPassword(server())];
        const [known] = [await giveApp(server(), thief.username), await giveApp(server(), victim.username)];
        const deviceOf = async (user: number) => {
          const { rows } = await sql<{ pk: number }>`select pk from devices where "user" = ${user}`.execute(
            server().world.db.read,
          );
          return rows[0]?.pk as number;
        };
        await move('device_totp', 'key', await deviceOf(thief.pk), await deviceOf(victim.pk));
        const browser = openBrowser(server());
        await browser.show(signInFlow);
        await browser.answer(signInFlow, { uid_field: victim.username });
        await browser.answer(signInFlow, { password });
        const answer = await browser.answer(signInFlow, { code: known.code() });
        expect(answer.body.component).not.toBe('xak-flow-redirect');
        expect((await browser.get('/core/users/me/')).status).toBe(403);
      });

      test('the key of a token is not shown', async () => {
        const { admin, world } = server();
        for (const identifier of ['moved-from', 'moved-to']) await admin.post('/core/tokens/', { identifier });
        const { rows } = await sql<{ pk: string }>`select pk from tokens where identifier like 'moved-%'
          order by identifier`.execute(world.db.read);
        const [from, to] = rows.map(({ pk }) => pk) as [string, string];
        const { key } = (await admin.get('/core/tokens/moved-from/view_key/')).body;
        await move('tokens', 'key', from, to);
        const answer = await admin.get('/core/tokens/moved-to/view_key/');
        expect(answer.status).toBe(400);
        expect(answer.text).not.toContain(key);
      });

      test('the state of a walk cannot be continued', async () => {
        const [one, other] = [openBrowser(server()), openBrowser(server())];
        for (const browser of [one, other]) {
          await browser.show(signInFlow);
          await browser.answer(signInFlow, { uid_field: 'admin' });
        }
        const { rows } = await sql<{
          pk: string;
        }>`select pk from flow_plans order by created desc, pk desc limit 2`.execute(server().world.db.read);
        const [to, from] = rows.map(({ pk }) => pk) as [string, string];
        await move('flow_plans', 'context', from, to);
        expect((await other.show(signInFlow)).body.component).not.toBe('xak-stage-password');
        expect((await one.show(signInFlow)).body.component).toBe('xak-stage-password');
      });
    });
  },
  { clock: stillClock() },
);
