import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lastEvents } from '../support/events.ts';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

// Whoever read the event of an invitation had the invitation: its key was its secret.
describeOnBoth('the key of an invitation is not its secret', (server) => {
  const invite = async () => {
    const walk = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const invitation = await made(server(), '/stages/invitation/invitations/', { name: unique('i'), flow: walk.pk });
    return { walk, invitation };
  };
  const componentWith = async (slug: string, token: string) =>
    (await openBrowser(server()).show(slug, `itoken=${token}`)).body.component;

  test('the token in the link is accepted, the key is not', async () => {
    const { walk, invitation } = await invite();
    expect(invitation.token).toHaveLength(43);
    expect(new URL(invitation.link).search).toBe(`?itoken=${invitation.token}`);
    expect(await componentWith(walk.slug, invitation.pk)).toBe('xak-stage-access-denied');
    expect(await componentWith(walk.slug, invitation.token)).toBe('xak-stage-dummy');
  });

  test('the token is shown once, and appears neither in events nor in the database', async () => {
    const { invitation } = await invite();
    const path = `/stages/invitation/invitations/${invitation.pk}/`;
    for (const answer of [await server().admin.get(path), await server().admin.patch(path, { single_use: true })])
      expect([answer.body.pk, answer.body.token, answer.body.link]).toEqual([invitation.pk, undefined, undefined]);
    expect(JSON.stringify(await lastEvents(server(), 20))).not.toContain(invitation.token);
    const { rows } = await sql`select * from invitations where pk = ${invitation.pk}`.execute(server().world.db.read);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(invitation.token);
  });
});
