import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { scimClient } from '../protocol/scim/scim-client.ts';
import { describeOnBoth } from '../support/server.ts';

const addresses = (count: number) => {
  const host = `${crypto.randomUUID()}.example`;
  return Array.from({ length: count }, (_, at) => ({ value: `a${at}@${host}` }));
};
const tooMany = { status: '400', scimType: 'tooMany' };

describeOnBoth('values that SCIM clients store', (server, kind) => {
  test('are at most 100 for each attribute, however they are sent', async () => {
    const client = await scimClient(server());
    const { id } = await client.user({ emails: addresses(100), custom: Array.from({ length: 100 }, () => 'x') });
    const urn = 'urn:example:custom';
    for (const values of [
      { emails: addresses(101) },
      { custom: Array.from({ length: 101 }, () => 'x') },
      { [urn]: { list: Array.from({ length: 101 }, () => 'x') } },
      { custom: 'x'.repeat(70_000) },
    ]) {
      const sent = { userName: crypto.randomUUID(), ...values };
      expect((await client.send('POST', '/Users', sent)).body).toMatchObject(tooMany);
      expect((await client.send('PUT', `/Users/${id}`, sent)).body).toMatchObject(tooMany);
    }
    const added = await client.patch(`/Users/${id}`, { op: 'add', path: 'emails', value: [{ value: 'one@more' }] });
    expect(added.body).toMatchObject(tooMany);
    expect((await client.get(`/Users/${id}`)).body.emails).toHaveLength(100);
  });

  test('which are more from before an upgrade can be reduced', async () => {
    const client = await scimClient(server());
    const emails = addresses(150);
    const { id, userName } = await client.user({ emails: emails.slice(0, 1) });
    const stored = JSON.stringify({ userName, emails });
    await server().world.db.write((tx) =>
      sql`update scim_source_users set attributes = ${kind === 'postgres' ? sql`cast(${stored} as json)` : stored}
        where source = ${client.source.pk}`.execute(tx),
    );
    const removed = await client.patch(`/Users/${id}`, {
      op: 'remove',
      path: `emails[value eq "${emails[1]?.value}"]`,
    });
    expect([removed.status, removed.body.emails?.length]).toEqual([200, 149]);
  });

  test('leave room for groups with thousands of members', async () => {
    const client = await scimClient(server());
    const { id } = await client.user();
    const members = Array.from({ length: 2_000 }, () => ({ value: id }));
    expect((await client.send('POST', '/Groups', { displayName: 'large', members })).status).toBe(201);
  });

  // 200 conditions on 15,000 addresses of one user took 9 s.
  test('are looked at a bounded number of times by one filter', async () => {
    const client = await scimClient(server());
    for (let n = 0; n < 10; n++) await client.user({ emails: addresses(100), note: 'x'.repeat(50_000) });
    const filterOf = (count: number) => Array.from({ length: count }, (_, at) => `emails co "none${at}"`).join(' or ');
    const ask = (count: number) => client.get(`/Users?filter=${encodeURIComponent(filterOf(count))}`);
    expect((await ask(150)).body).toMatchObject(tooMany);
    expect([(await ask(5)).status, (await ask(5)).body.totalResults]).toEqual([200, 0]);
  });
});
