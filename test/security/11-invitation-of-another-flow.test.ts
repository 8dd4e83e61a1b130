import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const refused = { component: 'xak-stage-access-denied', error_message: 'Invalid invite/invite not found' };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describeOnBoth(
  'classes 11, 12 and 13: invitations count in their flow, in their time, and when they are real',
  (server) => {
    const invite = (values: object) =>
      made(server(), '/stages/invitation/invitations/', { name: unique('invite'), expires: inAnHour(), ...values });

    test('one for another flow is none', async () => {
      const own = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
      const other = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
      const { pk } = await invite({ flow: own.pk });
      expect((await openBrowser(server()).show(other.slug, `itoken=${pk}`)).body).toMatchObject(refused);
      expect((await openBrowser(server()).show(own.slug, `itoken=${pk}`)).body.component).toBe('xak-stage-dummy');
    });

    test('one that has expired is none, before anything cleans up', async () => {
      const walk = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
      const { pk } = await invite({ expires: new Date(Date.now() + 1_500).toISOString() });
      expect((await openBrowser(server()).show(walk.slug, `itoken=${pk}`)).body.component).toBe('xak-stage-dummy');
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      expect((await openBrowser(server()).show(walk.slug, `itoken=${pk}`)).body).toMatchObject(refused);
    });

    test('what is no key of an invitation is none, however it is dressed up', async () => {
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
  },
);
