import { expect, test } from 'vitest';
import { composeApp } from '../../src/app/compose.ts';
import { apiFor } from '../support/api.ts';
import { makeRelying, post, type Relying, tokensFor } from '../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const refresh = (server: TestServer, { basic }: Relying, refresh_token: string) =>
  post(server, 'token', { grant_type: 'refresh_token', refresh_token }, { authorization: basic });

// A refresh token was taken twice when it came twice at once, or again after a restart (CVE-2026-1035, CVE-2026-9802).
describeOnBoth('replay: a reused refresh token', (server) => {
  test('sent fifty times at once gets tokens once, and all are revoked', async () => {
    const relying = await makeRelying(server());
    const { refresh_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(server(), relying, refresh_token)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(49);
    for (const token of [given[0]?.body.access_token, given[0]?.body.refresh_token]) {
      const told = await post(server(), 'introspect', { token }, { authorization: relying.basic });
      expect(told.body).toEqual({ active: false });
    }
    expect((await refresh(server(), relying, given[0]?.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is detected after a restart of the server', async () => {
    const relying = await makeRelying(server());
    const { refresh_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const next = await refresh(server(), relying, refresh_token);
    expect(next.status).toBe(200);
    const { server: http } = await composeApp(server().world);
    try {
      const url = await http.listen({ host: '127.0.0.1', port: 0 });
      const later: TestServer = { ...server(), url, nobody: apiFor(url, {}) };
      expect((await refresh(later, relying, refresh_token)).body.error).toBe('invalid_grant');
      expect((await refresh(later, relying, next.body.refresh_token)).body.error).toBe('invalid_grant');
    } finally {
      await http.close();
    }
  });
});
