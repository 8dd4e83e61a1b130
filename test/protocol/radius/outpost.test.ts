import { afterAll, beforeAll, expect, test } from 'vitest';
import { findEapolTest, joinWifi } from '../../support/eapol.ts';
import { type OutpostInTest, startOutpost } from '../../support/outpost-process.ts';
import {
  findRadclient,
  makeKeyPair,
  makeRadiusNetwork,
  password,
  type RadiusNetwork,
  radclient,
  radiusPort,
  secret,
} from '../../support/radius-network.ts';
import { describeOnBoth } from '../../support/server.ts';

await findRadclient();
await findEapolTest();
const portOf = ({ listening }: OutpostInTest): number => Number(new URL(listening.RADIUS ?? '').port);

describeOnBoth(
  'an outpost for RADIUS in a process of its own',
  (server) => {
    let wifi: RadiusNetwork;
    let other: RadiusNetwork;
    let outpost: OutpostInTest;
    beforeAll(async () => {
      wifi = await makeRadiusNetwork(server(), { client_networks: '127.0.0.0/8' });
      other = await makeRadiusNetwork(server(), { client_networks: '127.0.0.1', shared_secret: 'of the other' });
      await wifi.person('ada');
      outpost = await startOutpost(server(), [wifi.provider], {}, { type: 'radius', env: radiusPort });
      await wifi.settle();
    });
    afterAll(() => outpost.stop());

    const ask = async (given = password, sent = secret, seconds = 4, name = 'ada') => {
      const lines = [`User-Name = "${name}"`, `User-Password = "${given}"`, 'Message-Authenticator = 0x00'];
      return (await radclient(portOf(outpost), sent, 'auth', lines, seconds)).answer;
    };

    test('lets users in by their passwords, for its providers alone', async () => {
      expect([await ask(), await ask('wrong')]).toEqual(['Access-Accept', 'Access-Reject']);
      const { body } = await server().admin.get('/events/events/?action=login_failed&ordering=-created');
      expect(body.results[0]).toMatchObject({ client_ip: '127.0.0.1' });
      // The longest network is that of the other provider, which the outpost does not serve.
      expect(await ask(password, 'of the other', 1)).toBeNull();
      expect((await other.ask('ada', password, { secret: 'of the other' })).answer).toBe('Access-Accept');
    });

    test('answers what a client asks at the same time, each by itself', async () => {
      // Names that do not exist: wrong passwords of ada would be counted.
      const names = Array.from({ length: 12 }, (_, at) => (at % 3 ? 'ada' : `nobody-${at}`));
      const answers = await Promise.all(names.map((name) => ask(password, secret, 4, name)));
      expect(answers).toEqual(names.map((name) => (name === 'ada' ? 'Access-Accept' : 'Access-Reject')));
    });

    test('leads devices through EAP-TTLS', async () => {
      const { pk, certificate } = await makeKeyPair(server(), 'radius.example.com');
      await wifi.change({ certificate: pk });
      const joined = await joinWifi({
        ...{ port: portOf(outpost), secret, files: { ca_cert: certificate } },
        settings: { eap: 'TTLS', identity: 'ada', anonymous_identity: 'anonymous', password, phase2: 'auth=PAP' },
      });
      expect(joined).toMatchObject({ isIn: true, hasKeys: true });
    });

    test('answers with the changed secret', async () => {
      await wifi.change({ shared_secret: 'changed' });
      expect(await ask(password, 'changed')).toBe('Access-Accept');
      await wifi.change({ shared_secret: secret });
    });

    test('is silent while the server is away, and goes on when it is back', async () => {
      outpost.way.away();
      expect(await ask(password, secret, 1)).toBeNull();
      outpost.way.back();
      expect(await ask()).toBe('Access-Accept');
    });

    test('is silent from when its token is revoked', async () => {
      expect((await server().admin.delete(`/core/tokens/${outpost.identifier}/`)).status).toBe(204);
      expect(await ask(password, secret, 1)).toBeNull();
      outpost.way.away();
      outpost.way.back();
      expect(await ask(password, secret, 1)).toBeNull();
    });
  },
  { env: radiusPort },
);
