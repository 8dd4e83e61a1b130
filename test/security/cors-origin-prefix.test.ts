import { expect, test } from 'vitest';
import { asForm, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// Origins were compared by how they begin (CVE-2026-41569, GHSA-mchx-7j67-8mcf).
describeOnSqlite('origins that begin like those of a client', (server) => {
  const origins = [
    'https://app.example.evil.example',
    'https://app.example:8443',
    'https://app.exampl',
    'http://app.example',
    'https://sub.app.example',
    'https://app.example@evil.example',
    'null',
  ];

  test('cannot read any answer', async () => {
    const { slug, clientId: client_id, clientSecret: client_secret } = await makeRelyingParty(server());
    const { visit } = await visitor(server());
    const ask = async (origin: string) => {
      const answers = [
        await visit(`/application/o/${slug}/.well-known/openid-configuration`, { headers: { origin } }),
        await visit('/application/o/par/', {
          ...asForm({ client_id, client_secret, response_type: 'code', redirect_uri: 'https://app.example/callback' }),
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        }),
        await visit('/application/o/par/', { method: 'OPTIONS', headers: { origin } }),
      ];
      return answers.map(({ headers }) => headers.get('access-control-allow-origin'));
    };
    expect(await ask('https://app.example')).toEqual(Array(3).fill('https://app.example'));
    for (const origin of origins) expect([origin, ...(await ask(origin))]).toEqual([origin, null, null, null]);
  });

  test('cannot read answers of the authorize endpoint, as no origin can', async () => {
    const { clientId: client_id } = await makeRelyingParty(server());
    const { visit } = await visitor(server());
    const query = new URLSearchParams({
      client_id,
      response_type: 'code',
      redirect_uri: 'https://app.example/callback',
    });
    const { headers } = await visit(`/application/o/authorize/?${query}`, {
      headers: { origin: 'https://app.example' },
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
