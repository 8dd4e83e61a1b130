import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const refused = {
  component: 'xak-stage-access-denied',
  error_message:
    'This invitation is not valid: it was already used, has expired or was withdrawn. Ask the person who invited you for a new one.',
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describeOnBoth('invitations', (server) => {
  const invite = (values: object) =>
    made(server(), '/stages/invitation/invitations/', { name: unique('invite'), expires: inAnHour(), ...values });

  test('are refused in another flow', async () => {
    const own = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const other = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const { token } = await invite({ flow: own.pk });
    expect((await openBrowser(server()).show(other.slug, `itoken=${token}`)).body).toMatchObject(refused);
    expect((await openBrowser(server()).show(own.slug, `itoken=${token}`)).body.component).toBe('xak-stage-dummy');
  });

  test('are refused once expired, before any clean-up', async () => {
    const walk = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const { pk, token } = await invite({});
    expect((await openBrowser(server()).show(walk.slug, `itoken=${token}`)).body.component).toBe('xak-stage-dummy');
    const { clock, db } = server().world;
    await db.write((tx) => sql`update invitations set expires = ${clock.now()} where pk = ${pk}`.execute(tx));
    expect((await openBrowser(server()).show(walk.slug, `itoken=${token}`)).body).toMatchObject(refused);
  });

  test('are refused when the key is forged', async () => {
    const walk = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const { pk } = await invite({});
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const claims = Buffer.from(JSON.stringify({ itoken: pk, pk })).toString('base64url');
    for (const forged of [
      `${none}.${claims}.`,
      `${pk}x`,
      `${pk}%00`,
      `%27%20or%201=1--`,
      `{${pk}}`,
      `urn:uuid:${pk}`,
    ]) {
      expect((await openBrowser(server()).show(walk.slug, `itoken=${forged}`)).body, forged).toMatchObject(refused);
    }
  });
});
