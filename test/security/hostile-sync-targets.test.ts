import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { resourceOf } from '../../src/kinds/providers/scim/answers.ts';
import { scimWorkshop } from '../support/scim-workshop.ts';
import { describeOnBoth } from '../support/server.ts';
import { ledgerOf, localTargets } from '../support/sync.ts';

// Responses of sync targets are stored for each object: ten megabytes were stored whole, and ids of any length.
describeOnBoth(
  'hostile responses of sync targets',
  (server) => {
    const start = scimWorkshop(server);

    const stored = async (provider: number) => {
      const { rows } = await sql<{ remote_id: string | null; attributes: string }>`select remote_id,
        cast(attributes as text) as attributes from sync_objects
        where provider = ${provider} and "user" is not null`.execute(server().world.db.read);
      return rows;
    };

    test('are kept as far as there is room', async () => {
      const members = { junk: 'x'.repeat(1_000_000), note: 'kept' };
      const { provider, settle, person } = await start({ shown: (body) => ({ ...body, ...(body.id && members) }) });
      await person();
      await settle();
      const [row] = await stored(provider.pk);
      expect(row?.remote_id).toMatch(/^id-\d+$/);
      expect(JSON.parse(row?.attributes ?? '')).toMatchObject({ note: 'kept' });
      expect(row?.attributes.length).toBeLessThan(70_000);
    });

    test('are refused with an id that is too long, or no number', async () => {
      const { provider, settle, person, admin } = await start({ idOf: () => 'i'.repeat(5_000) });
      const ada = await person();
      await settle();
      expect(await stored(provider.pk)).toMatchObject([{ remote_id: null }]);
      expect((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).error).toContain('id that is too long');
      expect(() => resourceOf(JSON.parse('{"id": 1e400}'))).toThrow('invalid `id`');
    });

    test('are refused if they are nested deeply', async () => {
      const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`);
      const { provider, settle, person } = await start({ shown: (body) => ({ ...body, ...(body.id && { deep }) }) });
      await person();
      await settle();
      expect(await stored(provider.pk)).toMatchObject([{ remote_id: null }]);
    });

    test('are stored without what no database stores', async () => {
      const odd = { note: 'a\u0000b\ud800', 'k\u0000': 1 };
      const { provider, settle, person, target, admin } = await start({
        shown: (body) => ({ ...body, ...(body.id && odd) }),
        idOf: (number) => `id\u0000${number}`,
      });
      const ada = await person();
      await settle();
      const [row] = await stored(provider.pk);
      expect(row?.remote_id).toMatch(/^id\ufffd\d+$/);
      expect(JSON.parse(row?.attributes ?? '')).toMatchObject({ note: 'a\ufffdb\ufffd', 'k\ufffd': 1 });
      target.fault = () => ({ status: 400, body: { detail: 'no\u0000thing' } });
      await admin.patch(`/core/users/${ada.pk}/`, { name: 'Changed' });
      await settle();
      const { error } = await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`);
      expect(error).toContain('no\ufffdthing');
    });
  },
  localTargets,
);
