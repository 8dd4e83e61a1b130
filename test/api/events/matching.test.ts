import { expect, test } from 'vitest';
import { quiet } from '../../support/jobs.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

type Bound = { matches: string; negate?: boolean; isWritten?: boolean } | 'the one who acts' | 'an expression';

async function bind({ admin }: TestServer, name: string, target: string, order: number, bound: Bound): Promise<void> {
  const policy =
    bound === 'an expression'
      ? await admin.post('/policies/expression/', {
          name,
          expression: "return request.context.event.action === 'secret_view';",
        })
      : typeof bound === 'object' &&
        (await admin.post('/policies/event_matcher/', {
          name,
          action: bound.matches,
          execution_logging: bound.isWritten ?? false,
        }));
  const { body: me } = await admin.get('/core/users/me/');
  const { status } = await admin.post('/policies/bindings/', {
    target,
    order,
    ...(policy ? { policy: policy.body.pk } : { user: me.user.pk }),
    negate: typeof bound === 'object' && bound.negate === true,
  });
  expect(status).toBe(201);
}

// On a server of their own: where some rule may be about anything, every event is asked about.
describeOnBoth('notifications', (server) => {
  test.each<[string, boolean, Bound[]]>([
    ['a matcher of its action', true, [{ matches: 'secret_view' }]],
    ['a matcher of another action', false, [{ matches: 'login' }]],
    ['a matcher that must not match', true, [{ matches: 'login', negate: true }]],
    ['a matcher that must not match and does', false, [{ matches: 'secret_view', negate: true }]],
    ['a matcher of another action whose decisions are written down', false, [{ matches: 'login', isWritten: true }]],
    ['one matcher of two', true, [{ matches: 'login' }, { matches: 'secret_view' }]],
    ['the one who acts, beside a matcher', true, [{ matches: 'login' }, 'the one who acts']],
    ['an expression, beside a matcher', true, [{ matches: 'login' }, 'an expression']],
  ])('are sent for events that are not changes by %s: %s', async (name, isTold, bounds) => {
    const { admin } = server();
    const ada = await server().user();
    const group = await admin.post('/core/groups/', { name: `told of ${name}`, users: [ada.pk] });
    const rule = await admin.post('/events/rules/', { name: `rule: ${name}`, group: group.body.pk });
    for (const [order, bound] of bounds.entries()) await bind(server(), `${name} ${order}`, rule.body.pk, order, bound);
    await quiet(server());
    const written = async () =>
      (await admin.get('/events/events/?action=policy_execution')).body.pagination.count as number;
    const before = await written();
    const { identifier } = (await admin.get('/core/tokens/?page_size=1')).body.results[0];
    const { status } = await admin.get(`/core/tokens/${identifier}/view_key/`);
    expect(status).toBe(200);
    await quiet(server());
    const { results } = (await ada.api.get('/events/notifications/')).body;
    const told = results.filter(({ event }: { event: { action: string } }) => event.action === 'secret_view');
    expect(told).toHaveLength(isTold ? 1 : 0);
    const isWritten = bounds.some((bound) => typeof bound === 'object' && bound.isWritten);
    expect((await written()) - before).toBe(isWritten ? 1 : 0);
    await admin.delete(`/events/rules/${rule.body.pk}/`);
  });
});
