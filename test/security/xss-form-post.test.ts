import { expect, test } from 'vitest';
import { callback, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// What a client sends came back as markup, or went to an address that runs (CVE-2026-42849, GHSA-3p62-6fjh-3p5h).
describeOnSqlite('XSS: form_post answers', (server) => {
  test('are escaped, and no other script runs on the page', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const state = `"><script>alert(1)</script>'&`;
    const { status, text, headers } = await authorize({
      client_id: party.clientId,
      response_type: 'code',
      redirect_uri: callback,
      response_mode: 'form_post',
      state,
    });
    expect(status).toBe(200);
    expect(text).toContain(`<form method="post" action="${callback}">`);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;"');
    expect(text).not.toContain('<script>alert');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; /);
  });

  test('never contain input as markup, nor do error pages', async () => {
    const { visit } = await visitor(server());
    const evil = '"><img src=x onerror=alert(1)>';
    for (const path of [
      `/application/o/authorize/?client_id=${encodeURIComponent(evil)}`,
      `/application/o/authorize/?${encodeURIComponent(evil)}=1&${encodeURIComponent(evil)}=2`,
      `/device?code=${encodeURIComponent(evil)}`,
      `/application/o/end-session/?state=${encodeURIComponent(evil)}`,
    ]) {
      const { text, headers } = await visit(path);
      expect(text).not.toContain('<img src=x');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test('cannot be sent to an address that runs script', async () => {
    for (const url of ['javascript:alert(1)', ' java\tscript:alert(1)', 'data:text/html,x', 'vbscript:x']) {
      const uris = [{ matching_mode: 'strict', url }];
      await expect(makeRelyingParty(server(), { redirect_uris: uris })).rejects.toThrow('not allowed');
      await expect(makeRelyingParty(server(), { post_logout_redirect_uris: uris })).rejects.toThrow('not allowed');
      await expect(makeRelyingParty(server(), { frontchannel_logout_uri: url })).rejects.toThrow('valid URL');
    }
  });
});
