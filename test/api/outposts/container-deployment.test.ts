import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { quiet, runJob } from '../../support/jobs.ts';
import { made, unique } from '../../support/make-walk.ts';
import { tokenOf } from '../../support/outpost-process.ts';
import { deployedOutpost, deploymentOf } from '../../support/platforms/deployed-outpost.ts';
import { startEngine, type TestEngine } from '../../support/platforms/docker-engine.ts';
import { describeOnBoth, newFolder } from '../../support/server.ts';

const path = '/outposts/instances/';
const image = 'registry.example.com/gatehouse:1';

describeOnBoth(
  'outposts deployed by a container connection',
  (server) => {
    let engine: TestEngine;
    let connection: string;
    const connect = async ({ origin }: TestEngine) =>
      (await made(server(), '/outposts/service_connections/container/', { name: unique('engine'), url: origin })).pk;
    beforeAll(async () => {
      engine = await startEngine({ socket: join(newFolder(), 'engine.sock') });
      engine.images.add(image);
      connection = await connect(engine);
    });
    beforeEach(() => {
      engine.fault = () => null;
      engine.changes();
    });
    afterAll(async () => {
      await engine.close();
      expect(engine.violations).toEqual([]);
    });
    const nameOf = ({ name }: { name: string }) => `xak-outpost-${name.toLowerCase()}`;
    const deploy = async (more: Parameters<typeof deployedOutpost>[2] = {}) => {
      const outpost = await deployedOutpost(server(), connection, more);
      await quiet(server());
      return outpost;
    };
    const patch = async (pk: string, body: object) => {
      engine.changes();
      const answer = await server().admin.patch(`${path}${pk}/`, body);
      expect(answer.status).toBe(200);
      await quiet(server());
    };

    test('run in a container that holds the token and has few rights', async () => {
      const outpost = await deploy({ config: { trusted_proxies: ['10.1.0.0/16'], container_labels: { team: 'web' } } });
      const name = nameOf(outpost);
      expect(engine.changes()).toEqual([`POST create ${name}`, 'POST start']);
      const { State, Config, HostConfig } = engine.byName(name);
      expect(State.Running).toBe(true);
      expect(Config).toMatchObject({
        Image: image,
        Cmd: ['outpost', '--server', server().world.config.publicUrl],
        Labels: { team: 'web', 'gatehouse.outpost': outpost.pk },
        ExposedPorts: { '9000/tcp': {} },
      });
      const token = await tokenOf(server(), outpost.token_identifier);
      expect(Config.Env).toEqual(
        expect.arrayContaining([`GATEHOUSE_TOKEN=${token}`, 'GATEHOUSE_TRUSTED_PROXIES=10.1.0.0/16', 'PORT=9000']),
      );
      expect(HostConfig).toMatchObject({
        ...{ ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
        RestartPolicy: { Name: 'unless-stopped' },
        PortBindings: { '9000/tcp': [{ HostPort: '9000' }] },
      });
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        state: 'deployed',
        message: 'The container was created.',
        place: '',
      });
      // Nothing differs, so nothing happens.
      expect((await runJob(server(), 'deploy_outposts')).state).toBe('done');
      await quiet(server());
      expect(engine.changes()).toEqual([]);
    });

    test.each([
      ['ldap', { '3389/tcp': '389', '6636/tcp': '636' }, ['GATEHOUSE_LDAP_PORT=3389', 'GATEHOUSE_LDAPS_PORT=6636']],
      ['radius', { '1812/udp': '1812' }, ['GATEHOUSE_RADIUS_PORT=1812']],
    ] as const)('publish the ports of their type: %s', async (type, ports, env) => {
      const outpost = await deploy({ type });
      const { HostConfig, Config } = engine.byName(nameOf(outpost));
      const bound = Object.entries(ports).map(([port, HostPort]) => [port, [expect.objectContaining({ HostPort })]]);
      expect(HostConfig.PortBindings).toEqual(Object.fromEntries(bound));
      expect(Config.Env).toEqual(expect.arrayContaining([...env]));
      await patch(outpost.pk, { config: { container_map_ports: false, container_network: 'inside' } });
      const unmapped = engine.byName(nameOf(outpost)).HostConfig;
      expect([unmapped.PortBindings, unmapped.NetworkMode]).toEqual([{}, 'inside']);
    });

    test('are replaced when they differ from the settings, however that came about', async () => {
      const outpost = await deploy();
      const name = nameOf(outpost);
      const replaced = [`POST create ${name}-new`, 'POST stop', 'DELETE', `POST rename ${name}`, 'POST start'];
      await patch(outpost.pk, { config: { container_labels: { team: 'mail' } } });
      expect(engine.changes()).toEqual(replaced);
      expect(engine.byName(name).Config.Labels.team).toBe('mail');
      // Members whose order or place does not matter are no difference.
      await patch(outpost.pk, { config: { container_labels: { team: 'mail' }, refresh_interval: 'minutes=1' } });
      expect(engine.changes()).toEqual([]);
      for (const change of [
        (container: { HostConfig: Record<string, unknown> }) => {
          container.HostConfig.RestartPolicy = { Name: 'no' };
        },
        (container: { HostConfig: Record<string, unknown> }) => {
          container.HostConfig.PortBindings = { '9000/tcp': [{ HostIp: '', HostPort: '81' }] };
        },
        (container: { Config: Record<string, unknown> }) => {
          container.Config.Image = 'evil:latest';
        },
        (container: { Config: Record<string, unknown> }) => {
          container.Config.Env = ['GATEHOUSE_TOKEN=other'];
        },
      ]) {
        change(engine.byName(name));
        await patch(outpost.pk, {});
        expect(engine.changes()).toEqual(replaced);
      }
      expect([...engine.containers.values()].filter(({ Name }) => Name.startsWith(`/${name}`))).toHaveLength(1);
    });

    test('get a new token, and are restarted when unhealthy and started when stopped', async () => {
      const outpost = await deploy();
      const name = nameOf(outpost);
      await server().admin.post(`/core/tokens/${outpost.token_identifier}/set_key/`, { key: 'k'.repeat(60) });
      await quiet(server());
      expect(engine.byName(name).Config.Env).toContain(`GATEHOUSE_TOKEN=${'k'.repeat(60)}`);
      engine.byName(name).State.Health = { Status: 'unhealthy' };
      await patch(outpost.pk, {});
      expect(engine.changes()).toEqual(['POST restart']);
      engine.byName(name).State = { Status: 'exited', Running: false };
      await patch(outpost.pk, {});
      expect(engine.changes()).toEqual(['POST start']);
      await server().admin.delete(`/core/tokens/${outpost.token_identifier}/`);
      await quiet(server());
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        state: 'failed',
        message: 'The outpost has no token. Save it to issue a new one.',
      });
    });

    test('are renamed, and removed with the outpost or its connection', async () => {
      const outpost = await deploy();
      const name = unique('renamed');
      await patch(outpost.pk, { name });
      expect(engine.changes()).toEqual([`POST rename xak-outpost-${name}`]);
      await patch(outpost.pk, { service_connection: null });
      expect(engine.changes()).toEqual(['POST stop', 'DELETE']);
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ state: 'none', to_remove: [] });
      await patch(outpost.pk, { service_connection: connection });
      expect(engine.byName(`xak-outpost-${name}`)).toBeDefined();
      const other = await startEngine({ socket: join(newFolder(), 'other.sock') });
      other.images.add(image);
      await patch(outpost.pk, { service_connection: await connect(other) });
      expect([engine.byName(`xak-outpost-${name}`), other.containers.size]).toEqual([undefined, 1]);
      expect((await server().admin.delete(`${path}${outpost.pk}/`)).status).toBe(204);
      await quiet(server());
      expect([other.containers.size, other.violations]).toEqual([0, []]);
      await other.close();
    });

    test('leave containers of others alone', async () => {
      const name = unique('Taken');
      const taken = { Id: 'a'.repeat(64), Name: `/xak-outpost-${name.toLowerCase()}` };
      const foreign = { ...taken, State: { Running: true }, Config: { Labels: {} }, HostConfig: {} };
      engine.containers.set(foreign.Id, structuredClone(foreign));
      const events = await eventsDuring(server(), () => deploy({ name }));
      expect(engine.changes()).toEqual([]);
      const message = `There is a container named xak-outpost-${name.toLowerCase()} already, which this outpost did not create.`;
      const failure = events.find(({ action }) => action === 'configuration_error');
      expect(failure?.context.message).toContain(message);
      const { body } = await server().admin.get(`${path}?name__iexact=${name}`);
      const [{ pk }] = body.results;
      expect(await deploymentOf(server(), pk)).toMatchObject({ state: 'failed', message });
      await server().admin.delete(`${path}${pk}/`);
      await quiet(server());
      expect(engine.containers.get(foreign.Id)).toEqual(foreign);
      engine.containers.delete(foreign.Id);
    });

    test('pull images from registries only, and say what is missing', async () => {
      const wanted = `registry.example.com/${unique('pulled')}:2`;
      engine.registry.add(wanted);
      const outpost = await deploy({ config: { container_image: wanted } });
      expect(engine.changes()).toEqual([`POST pull ${wanted}`, `POST create ${nameOf(outpost)}`, 'POST start']);
      for (const [container_image, changes, message] of [
        ['gatehouse-built-here', [], 'The engine has no image gatehouse-built-here.'],
        [
          'registry.example.com/absent',
          ['POST pull registry.example.com/absent:latest'],
          'The engine cannot pull the image registry.example.com/absent: pull access denied for "registry.example.com/absent"',
        ],
        ['no image', [], '“no image” is not the name of an image.'],
      ] as const) {
        await patch(outpost.pk, { config: { container_image } });
        expect(engine.changes()).toEqual(changes);
        expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ state: 'failed', message });
      }
      // The earlier one runs on.
      expect(engine.byName(nameOf(outpost)).State.Running).toBe(true);
    });

    test('survive errors of the engine: what is begun is finished later, and no message holds the token', async () => {
      const outpost = await deploy();
      const token = await tokenOf(server(), outpost.token_identifier);
      const name = nameOf(outpost);
      engine.fault = ({ method, segments }) =>
        method === 'POST' && segments.at(-1) === 'create'
          ? { status: 500, body: { message: `invalid environment: GATEHOUSE_TOKEN=${token}` } }
          : null;
      const events = await eventsDuring(server(), () =>
        patch(outpost.pk, { config: { container_labels: { a: 'b' } } }),
      );
      expect(JSON.stringify([events, await deploymentOf(server(), outpost.pk)])).not.toContain(token);
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        state: 'failed',
        message: 'POST /v1.44/containers/create failed with status 500: invalid environment: GATEHOUSE_TOKEN=***',
      });
      for (const verb of ['rename', 'start', 'stop']) {
        engine.fault = ({ method, segments }) =>
          method === 'POST' && segments.at(-1) === verb ? { status: 500, body: { message: 'out of order' } } : null;
        await patch(outpost.pk, { config: { container_labels: { a: verb } } });
        expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ state: 'failed' });
        engine.fault = () => null;
        await patch(outpost.pk, {});
        expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ state: 'deployed' });
        const own = [...engine.containers.values()].filter(({ Name }) => Name.startsWith(`/${name}`));
        expect(own.map(({ Name, State, Config }) => [Name, State.Running, Config.Labels.a])).toEqual([
          [`/${name}`, true, verb],
        ]);
      }
      for (const fault of ['cut', { status: 200, body: [] }, { status: 200, body: { ApiVersion: 'new' } }] as const) {
        engine.fault = () => fault;
        await patch(outpost.pk, {});
        expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ state: 'failed' });
      }
      for (const Id of ['\ud800', '', 7, '../../images/prune']) {
        engine.fault = ({ segments }) => (segments.at(-1) === 'json' ? { status: 200, body: [{ Id }] } : null);
        await patch(outpost.pk, {});
        expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
          message: 'The engine has a container without a valid id.',
        });
      }
      // A removal that fails is tried until it succeeds.
      await server().admin.delete(`${path}${outpost.pk}/`);
      await quiet(server());
      expect(engine.byName(name)).toBeDefined();
      engine.fault = () => null;
      await runJob(server(), 'deploy_outposts');
      await quiet(server());
      expect(engine.byName(name)).toBeUndefined();
    });

    test('use the newest version of the API that both sides have', async () => {
      for (const [versions, used] of [
        [{ ApiVersion: '1.41', MinAPIVersion: '1.12' }, 'v1.41'],
        [{ ApiVersion: '1.60', MinAPIVersion: '1.50' }, 'v1.50'],
      ] as const) {
        const old = await startEngine({ socket: join(newFolder(), 'old.sock') }, versions);
        old.images.add(image);
        const outpost = await deployedOutpost(server(), await connect(old));
        await quiet(server());
        expect(old.containers.size).toBe(1);
        expect(new Set(old.requests.map(({ segments }) => segments[0]))).toEqual(new Set(['version', used]));
        await server().admin.patch(`${path}${outpost.pk}/`, { service_connection: null });
        await quiet(server());
        await old.close();
      }
    });

    test('check connections, and deploy again when one is reachable again', async () => {
      const outpost = await deploy();
      await runJob(server(), 'check_service_connections');
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        platform_healthy: true,
        platform_version: '28.1.0',
      });
      engine.fault = () => ({ status: 500 });
      const events = await eventsDuring(server(), () => runJob(server(), 'check_service_connections'));
      expect(events.map(({ action }) => action)).toContain('configuration_error');
      engine.containers.clear();
      engine.fault = () => null;
      await runJob(server(), 'check_service_connections');
      await quiet(server());
      expect(engine.byName(nameOf(outpost))).toBeDefined();
    });
  },
  { env: { GATEHOUSE_OUTPOST_IMAGE: image } },
);
