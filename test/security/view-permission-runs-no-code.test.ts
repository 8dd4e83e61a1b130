import { expect, test } from 'vitest';
import { eventsAbout } from '../support/events.ts';
import { grantOn } from '../support/grants.ts';

import { describeOnSqlite } from '../support/server.ts';

// The permission to view an expression must not be enough to run it on the server.
describeOnSqlite('the permission to view an expression does not run it', (server) => {
  const subjects = [
    {
      what: 'a policy',
      path: '/policies/expression/',
      test: '/policies/all/',
      right: (verb: string) => `svc_policies_expression.${verb}_expressionpolicy`,
    },
    {
      what: 'a property mapping',
      path: '/propertymappings/notification/',
      test: '/propertymappings/all/',
      right: (verb: string) => `svc_events.${verb}_notificationwebhookmapping`,
    },
  ];

  test.each(subjects)('$what can be tested only by callers who may change it', async ({ path, test: base, right }) => {
    const running = server();
    const { body } = await running.admin.post(path, { name: `guarded ${path}`, expression: 'return "ran"' });
    const target = `${base}${body.pk}/test/`;
    const subject = await running.user();
    const attempt = { user: subject.pk };

    expect((await running.nobody.post(target, attempt)).status).toBe(403);
    expect((await subject.api.post(target, attempt)).status).toBe(403);
    const viewer = await running.user([right('view'), 'svc_core.view_user']);
    expect((await viewer.api.get(`${base}${body.pk}/`)).status).toBe(200);
    const refused = await viewer.api.post(target, attempt);
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain('ran');
    // Not even what is wrong with the request is told.
    expect((await viewer.api.post(target, { user: 'x' })).status).toBe(403);
    const adder = await running.user([right('view'), right('add'), right('delete'), 'svc_core.view_user']);
    expect((await adder.api.post(target, attempt)).status).toBe(403);

    const author = await running.user(['svc_core.view_user']);
    await grantOn(running, author.pk, right('view'), body.pk);
    expect((await author.api.post(target, attempt)).status).toBe(403);
    await grantOn(running, author.pk, right('change'), body.pk);
    expect((await author.api.post(target, attempt)).status).toBe(200);
    expect(await eventsAbout(running, body.pk)).toHaveLength(1);
  });

  test('the permission to change one expression runs no other', async () => {
    const running = server();
    const make = async (name: string) =>
      (await running.admin.post('/policies/expression/', { name, expression: 'return true' })).body.pk as string;
    const [own, other] = [await make('own'), await make('another')];
    const author = await running.user(['svc_core.view_user', 'svc_policies_expression.view_expressionpolicy']);
    await grantOn(running, author.pk, 'svc_policies_expression.change_expressionpolicy', own);
    const attempt = (pk: string) => author.api.post(`/policies/all/${pk}/test/`, { user: author.pk });
    expect((await attempt(own)).status).toBe(200);
    expect((await attempt(other)).status).toBe(403);
  });
});
