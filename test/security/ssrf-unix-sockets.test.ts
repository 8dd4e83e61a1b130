import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

const path = '/outposts/service_connections/container/';
const model = 'containerserviceconnection';

// Outgoing calls are guarded by address, which a socket of the machine has none of.
describeOnSqlite('SSRF: sockets of the machine', (server) => {
  const socket = 'unix:///run/engine.sock';
  const delegate = () => server().user(['view', 'add', 'change'].map((verb) => `svc_outposts.${verb}_${model}`));

  test.each([
    ['named', { url: 'unix:///run/secret.sock' }],
    ['of the engine', { url: 'https://engine.example:2376', local: true }],
  ])('are opened for superusers alone: %s', async (_name, where) => {
    const { api } = await delegate();
    const remote = await api.post(path, { name: `remote ${_name}`, url: 'https://engine.example:2376' });
    expect(remote.status).toBe(201);
    for (const answer of [
      await api.post(path, { name: _name, ...where }),
      await api.patch(`${path}${remote.body.pk}/`, where),
    ]) {
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['url']]);
    }
    expect((await server().admin.post(path, { name: _name, ...where })).status).toBe(201);
  });

  test('stay open when others change the rest', async () => {
    const { api } = await delegate();
    const { body } = await server().admin.post(path, { name: 'of an administrator', url: socket });
    expect((await api.patch(`${path}${body.pk}/`, { name: 'renamed', url: socket })).status).toBe(200);
  });
});
