import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { makeApplication, makeConsent } from '../../support/providers.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';
import { makeSource } from '../sources/fixtures.ts';

interface Owner {
  readonly pk: number;
  readonly username: string;
}

/** What people have of their own: how a row comes to be, where it is, and how one's own are asked for. */
interface OwnRows {
  readonly name: string;
  readonly path: string;
  own(owner: Owner): string;
  /** The key in the path of a new row of this owner. */
  make(server: TestServer, owner: Owner): Promise<string>;
}

const kinds: readonly OwnRows[] = [
  {
    name: 'sessions',
    path: '/core/authenticated_sessions/',
    own: ({ username }) => `user__username=${username}`,
    make: async (server, { pk }) => (await signIn(server, pk)).pk,
  },
  {
    name: 'consents',
    path: '/core/user_consent/',
    own: ({ pk }) => `user=${pk}`,
    async make(server, { pk }) {
      const application = await makeApplication(server);
      return String(await makeConsent(server, { user: pk, application: application.pk, scopes: ['openid'] }));
    },
  },
  {
    name: 'tokens',
    path: '/core/tokens/',
    own: ({ username }) => `user__username=${username}`,
    async make({ admin }, { pk }) {
      const identifier = unique('token');
      await admin.post('/core/tokens/', { identifier, user: pk, intent: 'app_password' });
      return identifier;
    },
  },
  {
    name: 'connections',
    path: '/sources/user_connections/all/',
    own: ({ pk }) => `user=${pk}`,
    async make(server, { pk }) {
      const { pk: source } = await makeSource(server, 'mediasrc', { plex_token: 't' });
      const values = { user: pk, source, identifier: unique('id'), plex_token: 't' };
      return String((await server.admin.post('/sources/user_connections/mediasrc/', values)).body.pk);
    },
  },
  {
    name: 'notifications',
    path: '/events/notifications/',
    own: ({ pk }) => `user=${pk}`,
    async make({ world }, { pk }) {
      const key = crypto.randomUUID();
      await world.db.write((tx) =>
        sql`insert into notifications (pk, severity, body, created, event, "user", seen)
          values (${key}, 'notice', 'Hello', ${world.clock.now()}, null, ${pk}, ${false})`.execute(tx),
      );
      return key;
    },
  },
];

describeOnBoth('rows of one’s own, asked for by cookie', (server) => {
  const keysIn = (body: { results: Record<string, unknown>[] }) =>
    body.results.map(({ pk, uuid, identifier }) => String(uuid ?? identifier ?? pk));

  test.each(kinds)('$name: the owner sees and deletes them, and no other user’s', async ({ path, own, make }) => {
    const [owner, stranger] = [await server().user(), await server().user()];
    const { browser } = await signIn(server(), owner.pk);
    const mine = await make(server(), owner);
    const theirs = await make(server(), stranger);
    const { status, body } = await browser.get(`${path}?${own(owner)}`);
    expect(status).toBe(200);
    expect(keysIn(body)).toContain(mine);
    expect(keysIn((await browser.get(`${path}?page_size=100`)).body)).not.toContain(theirs);
    expect((await browser.get(`${path}${theirs}/`)).status).toBe(404);
    expect((await browser.delete(`${path}${theirs}/`)).status).toBe(404);
    expect((await browser.delete(`${path}${mine}/`)).status).toBe(204);
    expect((await browser.get(`${path}${mine}/`)).status).toBe(404);
  });

  test.each(kinds)('$name: a superuser who asks for their own gets no others', async ({ path, own, make }) => {
    const { body } = await server().admin.get('/core/users/?username=admin');
    const admin = body.results[0] as Owner;
    const mine = await make(server(), admin);
    const theirs = await make(server(), await server().user());
    const { browser } = await signIn(server(), admin.pk);
    const keys = keysIn((await browser.get(`${path}?${own(admin)}&page_size=100`)).body);
    expect(keys).toContain(mine);
    expect(keys).not.toContain(theirs);
  });
});
