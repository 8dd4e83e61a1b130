import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { openOidcProvider } from './oidc.ts';
import { oauthRows } from './rows.ts';

test('the other server does in every row what it is measured for', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { handle, mint } = openOidcProvider(privateKey.export({ format: 'jwk' }));
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into bodies freely
  const answers: Record<string, any> = {};
  for (const { name } of oauthRows) {
    const { method, path, requests } = await mint(name, 1);
    const { authorization, form } = requests[0] as { authorization: string; form: string | null };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = { authorization, ...(form !== null && type) };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: form });
    expect(answer.headers.get('content-length')).not.toBeNull();
    answers[name] = await answer.json();
  }
  server.close();

  const key = createPublicKey(privateKey);
  for (const name of ['client_credentials', 'authorization_code', 'refresh_token']) {
    expect(decodeProtectedHeader(answers[name].access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    await jwtVerify(answers[name].access_token, key);
  }
  for (const name of ['authorization_code', 'refresh_token']) {
    const { payload } = await jwtVerify(answers[name].id_token, key);
    expect(payload).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada' });
    expect(answers[name].refresh_token).toEqual(expect.any(String));
  }
  expect(answers.introspection).toMatchObject({ active: true, sub: 'ada' });
  expect(answers.userinfo).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada' });
});
