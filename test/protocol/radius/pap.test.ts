import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import {
  findRadclient,
  makeRadiusNetwork,
  password,
  type RadiusNetwork,
  radclient,
  radiusPort,
  secret,
} from '../../support/radius-network.ts';
import { exchange, hidden, requestOf } from '../../support/radius-wire.ts';
import { password as appOwnersPassword, giveApp, personWithPassword } from '../../support/second-factor.ts';
import { describeOnBoth } from '../../support/server.ts';

const lines: string[] = [];
const log = createLog({ level: 'warn', stream: { write: (line: string) => void lines.push(line) } });
const hasTools = await findRadclient();
const rejected = 'Access-Reject';
const accepted = 'Access-Accept';

describeOnBoth(
  'RADIUS',
  (server) => {
    let network: RadiusNetwork;
    beforeAll(async () => {
      network = await makeRadiusNetwork(server());
      await network.person('ada');
    });
    const result = async (...asked: Parameters<RadiusNetwork['ask']>) => (await network.ask(...asked)).answer;
    const requestBy = (username: string, given: string, more: Partial<Parameters<typeof requestOf>[0]> = {}) => {
      const authenticator = more.authenticator ?? randomBytes(16);
      return requestOf({
        secret,
        ...more,
        authenticator,
        attributes: [
          [1, Buffer.from(username)],
          [2, hidden(given, more.secret ?? secret, authenticator)],
          ...(more.attributes ?? []),
        ],
      });
    };
    /** The answers to requests that are to have none. What comes last does have one. */
    const answersTo = (datagrams: readonly Buffer[], from?: string, fence = requestBy('ada', password, { id: 255 })) =>
      exchange(network.port, datagrams, { fence, ...(from && { from }) });
    const events = async (action: string, username: string) => {
      const { results } = (await server().admin.get(`/events/events/?action=${action}&page_size=100`)).body;
      return results.filter(
        (event: { user: { username?: string }; context: { username?: string } }) =>
          event.user.username === username || event.context.username === username,
      );
    };

    test.runIf(hasTools)('a user signs in by the name and the password, and no session is left', async () => {
      const { pk } = await network.person('grace');
      expect(await result('grace')).toBe(accepted);
      expect(await events('login', 'grace')).toMatchObject([{ app: 'svc_stages_user_login', client_ip: '127.0.0.1' }]);
      const { read } = server().world.db;
      expect((await sql`select 1 from authenticated_sessions where "user" = ${pk}`.execute(read)).rows).toEqual([]);
      expect((await sql`select 1 from flow_plans`.execute(read)).rows).toEqual([]);
    });

    test.runIf(hasTools).each([
      ['a wrong password', 'ada', 'wrong'],
      ['an unknown user', 'nobody', password],
      ['a password that only begins right', 'ada', `${password} and more`],
    ])('%s is rejected', async (_, username, given) => {
      expect(await network.ask(username, given)).toEqual({
        answer: rejected,
        attributes: [expect.stringMatching(/^Message-Authenticator = /)],
      });
    });

    test.runIf(hasTools)('attempts are counted and recorded, and feed reputation', async () => {
      await network.person('guessed');
      for (let attempt = 0; attempt < 12; attempt++) await result('guessed', `wrong ${attempt}`);
      // By now the right one is not checked either.
      expect(await result('guessed')).toBe(rejected);
      expect((await events('login_failed', 'guessed')).length).toBeGreaterThanOrEqual(10);
      const { results } = (await server().admin.get('/policies/reputation/scores/?identifier=guessed')).body;
      expect(results).toMatchObject([{ identifier: 'guessed', ip: '127.0.0.1' }]);
    });

    test.runIf(hasTools)('who is inactive or may not use the application is rejected', async () => {
      const { admin } = server();
      const { pk } = await network.person('gone');
      await admin.patch(`/core/users/${pk}/`, { is_active: false });
      expect(await result('gone')).toBe(rejected);
      await admin.patch(`/core/applications/${network.application}/`, { enabled: false });
      expect(await result('ada')).toBe(rejected);
      await admin.patch(`/core/applications/${network.application}/`, { enabled: true });
      expect(await result('ada')).toBe(accepted);
      expect(await events('policy_execution', 'ada')).toMatchObject([
        { app: 'svc_providers_radius', client_ip: '127.0.0.1', context: { message: 'The application is disabled.' } },
      ]);
    });

    test.runIf(hasTools)('a flow that needs a person rejects, and the log says so', async () => {
      const { admin } = server();
      const values = { name: 'needs a person', slug: 'needs-a-person', title: 'x', designation: 'authentication' };
      const target = (await admin.post('/flows/instances/', values)).body.pk;
      const stage = (await admin.post('/stages/dummy/', { name: 'needs a person' })).body.pk;
      await admin.post('/flows/bindings/', { target, stage, order: 0 });
      const { authorization_flow } = (await admin.get(`/providers/radius/${network.provider}/`)).body;
      await network.change({ authorization_flow: target });
      expect([await result('ada'), await result('ada')]).toEqual([rejected, rejected]);
      await network.change({ authorization_flow });
      expect(
        lines.filter((line) => line.includes('needs-a-person')).map((line): unknown => JSON.parse(line)),
      ).toMatchObject([{ reason: 'the step xak-stage-dummy needs a person', msg: 'a sign-in by radius was refused' }]);
    });

    test.runIf(hasTools)('a code follows the password of who has an authenticator', async () => {
      const owner = await personWithPassword(server());
      const app = await giveApp(server(), owner.username);
      expect(await result(owner.username, appOwnersPassword)).toBe(rejected);
      expect(await result(owner.username, `${appOwnersPassword};000000`)).toBe(rejected);
      expect(await result(owner.username, `${appOwnersPassword};${app.code()}`)).toBe(accepted);
    });

    test('the metrics count requests by outcome', async () => {
      const read = async () => {
        const { text } = await server().nobody.send('GET', '/-/metrics');
        return ['accepted', 'rejected', 'dropped'].map((outcome) =>
          Number(
            new RegExp(`^gatehouse_radius_requests_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
          ),
        );
      };
      const [accepts = 0, rejects = 0, drops = 0] = await read();
      await exchange(network.port, [requestBy('ada', password)]);
      await exchange(network.port, [requestBy('ada', 'wrong')]);
      await answersTo([requestBy('ada', password, { secret: 'another secret' })]);
      // The fence is accepted, too.
      expect(await read()).toEqual([accepts + 2, rejects + 1, drops + 1]);
    });

    test('another secret gets no answer', async () => {
      expect(await answersTo([requestBy('ada', password, { secret: 'another secret' })])).toEqual([]);
    });

    test('a request without a Message-Authenticator gets no answer unless the provider says so', async () => {
      const unsigned = requestBy('ada', password, { isSigned: false });
      expect(await answersTo([unsigned])).toEqual([]);
      await network.change({ require_message_authenticator: false });
      expect(await exchange(network.port, [unsigned])).toMatchObject([{ code: 2 }]);
      // Nor does one in which an attacker could hide a collision, or which carries EAP.
      const attributes: [number, Buffer][] = [
        [33, Buffer.of(1, 2)],
        [79, Buffer.of(2, 1, 0, 4)],
      ];
      const hiding = attributes.map((one, id) =>
        requestBy('ada', password, { id, isSigned: false, attributes: [one] }),
      );
      expect(await answersTo(hiding)).toEqual([]);
      await network.change({ require_message_authenticator: true });
    });

    test('a Message-Authenticator that is wrong, or comes twice, gets no answer', async () => {
      const wrong = requestBy('ada', password);
      wrong[wrong.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
      const twice = requestBy('ada', password, { attributes: [[80, Buffer.alloc(16)]] });
      expect(await answersTo([wrong, twice])).toEqual([]);
    });

    test('each answer has its Message-Authenticator first, and the Proxy-State of the request in order', async () => {
      for (const given of [password, 'wrong']) {
        const states: [number, Buffer][] = [
          [33, Buffer.from('one')],
          [33, Buffer.from('two')],
        ];
        const request = requestBy('ada', given, { attributes: states });
        const [answer] = await exchange(network.port, [request]);
        expect(answer?.isFrom(secret, request)).toBe(true);
        expect(answer?.types).toEqual([80, 33, 33]);
        expect(answer?.values.slice(1).map(String)).toEqual(['one', 'two']);
      }
    });

    test('a request that is sent again is not tried again, and gets the same answer', async () => {
      await network.person('again');
      const request = requestBy('again', 'wrong', { id: 7 });
      const [first] = await exchange(network.port, [request]);
      expect(first?.code).toBe(3);
      const socketBefore = (await events('login_failed', 'again')).length;
      // From another port it is another request.
      const other = await exchange(network.port, [request, request, request]);
      expect(other.length).toBeGreaterThanOrEqual(1);
      expect(new Set(other.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1);
      expect((await events('login_failed', 'again')).length).toBe(socketBefore + 1);
    });

    test.each([
      ['no password', [[1, Buffer.from('ada')]]],
      ['no name', [[2, Buffer.alloc(16)]]],
      [
        'CHAP',
        [
          [1, Buffer.from('ada')],
          [3, Buffer.alloc(17)],
        ],
      ],
      [
        'two names',
        [
          [1, Buffer.from('ada')],
          [1, Buffer.from('grace')],
          [2, Buffer.alloc(16)],
        ],
      ],
      [
        'a password of an impossible length',
        [
          [1, Buffer.from('ada')],
          [2, Buffer.alloc(15)],
        ],
      ],
      [
        'a name that is not valid UTF-8',
        [
          [1, Buffer.of(0xff, 0xfe)],
          [2, Buffer.alloc(16)],
        ],
      ],
    ] as [string, [number, Buffer][]][])('%s is rejected', async (_, attributes) => {
      const request = requestOf({ secret, attributes });
      const [answer] = await exchange(network.port, [request]);
      expect([answer?.code, answer?.isFrom(secret, request)]).toEqual([3, true]);
    });

    test.runIf(hasTools)('clients ask whether the server is there', async () => {
      expect((await radclient(network.port, secret, 'status', ['Message-Authenticator = 0x00'])).answer).toBe(accepted);
    });

    test.runIf(hasTools)('mappings give attributes, a VLAN by group among them', async () => {
      const { admin } = server();
      const group = (await admin.post('/core/groups/', { name: 'Engineers' })).body.pk;
      await network.person('engineer', { groups: [group] });
      await network.map(`define_attribute(99999, 'Example', 'Example-Role', 7, 'string');
        return {
          'Tunnel-Type': 'VLAN',
          'Tunnel-Medium-Type': 'IEEE-802',
          'Tunnel-Private-Group-Id': user.groups.some(({ name }) => name === 'Engineers') ? '20' : '30',
          'Session-Timeout': 3600,
          'Reply-Message': ['one', 'two'],
          'Framed-IP-Address': '192.0.2.7',
          'Delegated-IPv6-Prefix': '2001:db8::/56',
          'cisco-avpair': 'shell:priv-lvl=15',
          'Aruba-User-Role': packet['NAS-Identifier'],
          'Tunnel-Client-Endpoint:1': 'x',
          'Example-Role': 'r',
          'Idle-Timeout': null,
        };`);
      const { answer, attributes } = await network.ask('engineer', password, {
        attributes: ['NAS-Identifier = "ap-7"'],
      });
      expect(answer).toBe(accepted);
      expect(attributes.slice(1)).toEqual([
        'Tunnel-Type:0 = VLAN',
        'Tunnel-Medium-Type:0 = IEEE-802',
        'Tunnel-Private-Group-Id:0 = "20"',
        'Session-Timeout = 3600',
        'Reply-Message = "one"',
        'Reply-Message = "two"',
        'Framed-IP-Address = 192.0.2.7',
        'Delegated-IPv6-Prefix = 2001:db8::/56',
        'Cisco-AVPair = "shell:priv-lvl=15"',
        'Aruba-User-Role = "ap-7"',
        'Tunnel-Client-Endpoint:1 = "x"',
        'Attr-26.99999.7 = 0x72',
      ]);
      expect((await network.ask('ada')).attributes).toContain('Tunnel-Private-Group-Id:0 = "30"');
      await network.map('return {"Tunnel-Password:1": "hidden"}');
      expect((await network.ask('ada')).attributes).toContain('Tunnel-Password:1 = "hidden"');
      await network.change({ property_mappings: [] });
    });

    test.runIf(hasTools).each([
      ['throws', 'return user.nothing.here'],
      ['names an unknown attribute', 'return {"No-Such-Attribute": 1}'],
      ['names what the protocol fills in', 'return {"Message-Authenticator": "x"}'],
      ['gives a value of another type', 'return {"Session-Timeout": "soon"}'],
      ['gives too long a value', 'return {"Reply-Message": "x".repeat(254)}'],
      ['gives nothing that has attributes', 'return 5'],
    ])('a mapping that %s rejects, and an event says so', async (_, expression) => {
      await network.map(expression);
      const before = (await events('property_mapping_exception', 'ada')).length;
      expect(await result('ada')).toBe(rejected);
      expect((await events('property_mapping_exception', 'ada')).length).toBe(before + 1);
      await network.change({ property_mappings: [] });
      expect(await result('ada')).toBe(accepted);
    });

    test.runIf(hasTools)('more attributes than a packet holds are rejected', async () => {
      await network.map('return {"Reply-Message": Array.from({length: 20}, (_, at) => String(at).padEnd(250, "x"))}');
      expect(await result('ada')).toBe(rejected);
      await network.change({ property_mappings: [] });
    });

    test.runIf(hasTools)('the longest network of a client decides, with a secret of its own', async () => {
      const narrow = await makeRadiusNetwork(server(), {
        client_networks: '127.0.0.9',
        shared_secret: 'narrow secret',
      });
      await network.settle();
      const byNarrow = (id: number) => requestBy('ada', password, { id, secret: 'narrow secret' });
      const wide = requestBy('ada', password);
      expect(await answersTo([wide], '127.0.0.9', byNarrow(255))).toEqual([]);
      const good = byNarrow(1);
      const [answer] = await exchange(network.port, [good], { from: '127.0.0.9' });
      expect([answer?.code, answer?.isFrom('narrow secret', good)]).toEqual([2, true]);
      expect(await result('ada')).toBe(accepted);
      // Without an application it is not served, and the wider network counts.
      await server().admin.delete(`/core/applications/${narrow.application}/`);
      await network.settle();
      expect(await exchange(network.port, [wide], { from: '127.0.0.9' })).toMatchObject([{ code: 2 }]);
    });

    test('malformed requests, and those of unknown clients, get no answer', async () => {
      await network.change({ client_networks: '192.0.2.0/24' });
      expect(await exchange(network.port, [requestBy('ada', password)], { firstWithinMs: 500 })).toEqual([]);
      await network.change({ client_networks: '127.0.0.0/8' });
      const request = requestBy('ada', password);
      const short = Buffer.from(request);
      short.writeUInt16BE(request.length + 1, 2);
      const attribute = Buffer.from(request);
      attribute[21] = 1;
      const datagrams = [Buffer.alloc(0), Buffer.alloc(19), short, attribute, requestBy('ada', password, { code: 4 })];
      expect(await answersTo(datagrams)).toEqual([]);
      // What follows a packet in its datagram is ignored.
      const [answer] = await exchange(network.port, [Buffer.concat([request, Buffer.from('padding')])]);
      expect(answer?.code).toBe(2);
    });
  },
  { env: radiusPort, log },
);
