import { describe, expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, made, makeWalk, unique } from '../support/make-walk.ts';
import { type DatabaseKind, hasPostgres, startServer } from '../support/server.ts';

describe.each(['sqlite', 'postgres'] as DatabaseKind[])('links and sources on the sign-in page (%s)', (kind) => {
  test.skipIf(kind === 'postgres' && !hasPostgres)('are shown as they are now, although they are cached', async () => {
    const server = await startServer(kind);
    const enrolment = await makeWalk(server, []);
    const slug = unique('media');
    const source = await made(server, '/sources/mediasrc/', { name: 'Media', slug, plex_token: 't', client_id: 'one' });
    const values = { user_fields: ['username'], enrollment_flow: enrolment.pk, sources: [source.pk] };
    const walk = await makeWalk(server, [['identification', values]]);
    const shown = async () => {
      const { body } = await openBrowser(server).show(walk.slug);
      const sources = body.sources.map((offered: { challenge: { client_id: string } }) => offered.challenge.client_id);
      return [body.enroll_url, ...sources];
    };
    const change = async (path: string, changes: Record<string, unknown>) =>
      expect((await server.admin.patch(path, changes)).status).toBe(200);

    for (let turn = 0; turn < 2; turn++) expect(await shown()).toEqual([`/if/flow/${enrolment.slug}/`, 'one']);
    await change(`/flows/instances/${enrolment.slug}/`, { slug: `${enrolment.slug}-2` });
    expect(await shown()).toEqual([`/if/flow/${enrolment.slug}-2/`, 'one']);
    await change(`/sources/mediasrc/${slug}/`, { client_id: 'two' });
    expect(await shown()).toEqual([`/if/flow/${enrolment.slug}-2/`, 'two']);
    await change(`/sources/mediasrc/${slug}/`, { enabled: false });
    expect(await shown()).toEqual([`/if/flow/${enrolment.slug}-2/`]);
    await change(`/sources/mediasrc/${slug}/`, { enabled: true });
    await bindExpression(server, source.pk, 'return false');
    expect(await shown()).toEqual([`/if/flow/${enrolment.slug}-2/`]);
    await server.close();
  });
});
