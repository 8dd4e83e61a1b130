import { expect, test } from 'vitest';
import { isWritable } from '../../src/resource/fields/field.ts';
import { scimClient, urns } from '../protocol/scim/scim-client.ts';
import { describeOnSqlite } from '../support/server.ts';

// An object with a member `toString` has no string form. Requests with one returned 500, and one such event aborted
// every export of the audit log.
const wordless = { toString: 1, valueOf: 1 };

describeOnSqlite('denial of service: values that cannot become text', (server) => {
  test('are refused or taken by every field', () => {
    const { resources } = server().app.engine.registry;
    for (const { allFields } of resources) {
      for (const field of Object.values(allFields).filter(isWritable)) {
        for (const value of [wordless, [wordless], { a: wordless }]) field.parse(value);
      }
    }
  });

  test('are told in the refusal', async () => {
    const { status, body } = await server().admin.patch('/admin/settings/', { event_retention: wordless });
    expect([status, body.event_retention[0]]).toEqual([400, expect.stringContaining('{"toString":1,"valueOf":1}')]);
  });

  test('are refused in the references of a blueprint', async () => {
    const form = new FormData();
    const slug = '!Find [svc_core.user, [username, {toString: 1}]]';
    const text = `version: 1\nentries: [{model: svc_flows.flow, identifiers: {slug: ${slug}}}]`;
    form.set('file', new Blob([text]), 'flow.yaml');
    expect((await server().admin.post('/flows/instances/import/', form)).status).toBe(400);
  });

  test('stand in the export of events as JSON', async () => {
    const { admin } = server();
    const named = { name: wordless };
    const made = await admin.post('/events/events/', {
      action: 'custom_wordless',
      app: 'svc_core',
      context: { authorized_application: named, model: named, http_request: { request_id: wordless } },
      user: { username: wordless },
    });
    expect(made.status).toBe(201);
    const { status, text } = await admin.get('/events/events/export/?action=custom_wordless');
    expect([status, text.split('\r\n').length]).toEqual([200, 3]);
    expect(text).toContain('"{""toString"":1,""valueOf"":1}"');
    expect((await admin.get('/events/events/?action=custom_wordless')).status).toBe(200);
  });

  test('are refused in requests of SCIM clients', async () => {
    const client = await scimClient(server());
    const { id } = await client.user({ custom: [{ value: wordless }] });
    const statuses = await Promise.all([
      client.send('PATCH', `/Users/${id}`, { Operations: [{ op: wordless, path: 'displayName' }] }),
      client.send('PATCH', `/Users/${id}`, { Operations: [{ op: wordless, path: urns.enterprise }] }),
      client.send('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'custom[value.x eq "a"]' }] }),
      ...['count', 'startIndex', 'attributes', 'excludedAttributes', 'filter', 'sortBy'].map((name) =>
        client.send('POST', '/Users/.search', { [name]: wordless }),
      ),
      client.send('POST', '/Bulk', { failOnErrors: wordless, Operations: [] }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 400));
  });
});
