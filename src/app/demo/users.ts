import { sql } from 'kysely';
import type { DemoObject, DemoPeople } from '../../core/kind/demo.ts';
import { startSession } from '../../core/session/session.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import { firstRow } from '../../platform/db/first-row.ts';
import type { EmptyDemo } from './create-demo.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const dayMs = 86_400_000;

/** A small company: two people, a service account, two groups, and who may do what. */
export async function makeUsers(demo: EmptyDemo): Promise<DemoPeople> {
  const { api } = demo;
  const company = await api.ensure('/core/groups/', { name: 'Demo Company' }, { attributes: { demo: true } });
  const helpdesk = await api.ensure('/rbac/roles/', { name: 'Demo Helpdesk' });
  const engineering = await api.ensure(
    '/core/groups/',
    { name: 'Demo Engineering' },
    { parent: company.pk, roles: [helpdesk.pk] },
  );
  const person = (username: string, name: string, groups: unknown[]) =>
    api.ensure(
      '/core/users/',
      { username },
      { name, email: `${username}@example.com`, path: 'users/demo', groups, attributes: { demo: true } },
    );
  const ada = await person('demo-ada', 'Ada Demo', [engineering.pk]);
  const grace = await person('demo-grace', 'Grace Demo', [company.pk]);
  await api.ensure('/core/users/', { username: 'demo-robot' }, { name: 'Demo Robot', type: 'service_account' });
  await api.ensure(
    '/core/tokens/',
    { identifier: 'demo-token' },
    { intent: 'app_password', user: grace.pk, description: 'Demo: lets a mail program sign in as Grace' },
  );
  await assignPermissions(demo, ada, helpdesk, company);
  const session = await signIn(demo, ada);
  await signIn(demo, grace);
  return { ada, grace, company, engineering, session };
}

/** The role may view all users and one group; Ada may change that group. */
async function assignPermissions(
  { api }: EmptyDemo,
  ada: DemoObject,
  helpdesk: DemoObject,
  company: DemoObject,
): Promise<void> {
  const onCompany = { model: 'svc_core.group', object_pk: String(company.pk) };
  async function assign(holders: 'users' | 'roles', holder: unknown, permissions: string[], object: DemoObject) {
    const list = `/rbac/permissions/assigned_by_${holders}/`;
    const results = await api.list(`${list}?${new URLSearchParams(onCompany)}`);
    const isHeld = results.some(
      (row) => (row.pk ?? row.role_pk) === holder && Array.isArray(row.permissions) && row.permissions.length > 0,
    );
    if (!isHeld) await api.post(`${list}${holder}/assign/`, { permissions, ...object });
  }
  const everywhere = {};
  await assign('roles', helpdesk.pk, ['svc_core.view_user', 'svc_core.view_group'], everywhere);
  await assign('roles', helpdesk.pk, ['svc_core.view_group'], onCompany);
  await assign('users', ada.pk, ['svc_core.change_group'], onCompany);
}

async function signIn({ db, key, now, once }: EmptyDemo, user: DemoObject): Promise<string> {
  const facts = {
    userId: Number(user.pk),
    clientIp: '192.0.2.10',
    userAgent: browser,
    now,
    lifetimeMs: 14 * dayMs,
    isProven: true,
  };
  await once('authenticated_sessions', { user: user.pk }, (tx) => startSession(tx, key, facts));
  const { rows } = await sql<{ pk: string }>`select pk from authenticated_sessions where "user" = ${user.pk}
    order by created limit 1`.execute(db.read);
  return firstRow(rows).pk;
}

export const inDays = (now: string, days: number): string => addMilliseconds(now, days * dayMs);
