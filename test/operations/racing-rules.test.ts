import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

/** Often enough that a rule without a lock breaks. */
const rounds = 12;

describe.skipIf(!hasPostgres)('concurrent writes on two instances of one PostgreSQL', () => {
  let first: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    first = await startServer('postgres');
    second = await startServer('postgres', { env: { DATABASE_URL: first.world.config.databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  let names = 0;
  const newName = () => `name-${++names}`;

  async function make(path: string, values: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { status, body } = await first.admin.post(path, values);
    expect(status).toBe(201);
    return body;
  }

  /** Sends all at once, by turns to both instances. */
  const race = (calls: readonly ((api: Api) => Promise<Answer>)[]): Promise<Answer[]> =>
    Promise.all(calls.map((call, index) => call((index % 2 ? second : first).admin)));

  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

  test.each([2, 4])('%i groups never become a cycle of parents', async (size) => {
    for (let round = 0; round < rounds; round++) {
      const groups = await Promise.all(Array.from({ length: size }, () => make('/core/groups/', { name: newName() })));
      const answers = await race(
        groups.map(
          ({ pk }, index) =>
            (api) =>
              api.patch(`/core/groups/${pk}/`, { parent: groups[(index + 1) % size]?.pk }),
        ),
      );
      expect(statuses(answers)).toEqual([...Array.from({ length: size - 1 }, () => 200), 400]);
    }
  });

  test('a role is assigned to only one group', async () => {
    for (let round = 0; round < rounds; round++) {
      const role = await make('/rbac/roles/', { name: newName() });
      const give = (api: Api) => api.post('/core/groups/', { name: newName(), roles: [role.pk] });
      const answers = await race([give, give]);
      expect(statuses(answers)).toEqual([201, 400]);
      expect(answers.find(({ status }) => status === 400)?.body).toEqual({
        non_field_errors: ['Roles can only be used with a single group.'],
      });
    }
  });

  test('only one brand is the default, whichever was written last', async () => {
    for (let round = 0; round < rounds; round++) {
      const answers = await race(
        [1, 2].map(() => (api) => api.post('/core/brands/', { domain: `${newName()}.example.com`, default: true })),
      );
      expect(statuses(answers)).toEqual([201, 201]);
      const { body } = await first.admin.get('/core/brands/?default=true');
      expect(body.results).toHaveLength(1);
      expect(answers.map((answer) => answer.body.brand_uuid)).toContain(body.results[0].brand_uuid);
    }
  });

  test('a backchannel provider is assigned to only one application', async () => {
    for (let round = 0; round < rounds; round++) {
      const provider = await make('/providers/workspace_directory/', {
        name: newName(),
        delegated_subject: 'ada@example.com',
        credentials: {},
        default_group_email_domain: 'example.com',
      });
      const answers = await race(
        [1, 2].map(() => (api) => {
          const slug = newName();
          return api.post('/core/applications/', { name: slug, slug, backchannel_providers: [provider.pk] });
        }),
      );
      expect(statuses(answers)).toEqual([201, 400]);
    }
  });

  test('changes of different settings are both kept', async () => {
    for (let round = 0; round < rounds; round++) {
      const changes = { default_token_length: 60 + round, event_retention: `days=${100 + round}` };
      await race([
        (api) => api.patch('/admin/settings/', { default_token_length: changes.default_token_length }),
        (api) => api.patch('/admin/settings/', { event_retention: changes.event_retention }),
      ]);
      expect((await second.admin.get('/admin/settings/')).body).toMatchObject(changes);
    }
  });

  test('a user name is given to only one user', async () => {
    for (let round = 0; round < rounds; round++) {
      const username = newName();
      const answers = await race([1, 2].map(() => (api) => api.post('/core/users/', { username, name: 'Ada' })));
      expect(statuses(answers)).toEqual([201, 400]);
      expect(answers.find(({ status }) => status === 400)?.body).toHaveProperty('username');
    }
  });

  test('a setting changed on one instance takes effect on the other at once', async () => {
    for (let round = 0; round < rounds; round++) {
      const impersonation = round % 2 === 0;
      await first.admin.patch('/admin/settings/', { impersonation });
      const { body } = await second.admin.get('/root/config/');
      expect(body.capabilities.includes('can_impersonate')).toBe(impersonation);
    }
  });

  test('an impersonation that runs on one instance ends at once when another turns impersonation off', async () => {
    const helper = await second.user(['svc_core.view_user', 'svc_core.impersonate']);
    const person = await second.user();
    for (let round = 0; round < rounds; round++) {
      await first.admin.patch('/admin/settings/', { impersonation: true });
      const { browser } = await signIn(second, helper.pk);
      expect((await browser.post(`/core/users/${person.pk}/impersonate/`)).status).toBe(204);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(person.pk);
      await first.admin.patch('/admin/settings/', { impersonation: false });
      expect((await browser.get('/core/users/me/')).status).toBe(403);
    }
  });
});
