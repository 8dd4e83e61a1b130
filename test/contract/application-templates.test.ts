import { expect, test } from 'vitest';
import { logos } from '../../web/admin/applications/logos.ts';
import { bodyFor, factsOf, setupOf } from '../../web/admin/applications/template.ts';
import { templates } from '../../web/admin/applications/templates/all.ts';
import { services } from '../../web/admin/sources/services.ts';
import { describeOnSqlite } from '../support/server.ts';

/** What a program needs beyond addresses and a client: without it, people cannot sign in, or stop at its door. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'actual-budget': ['ACTUAL_USER_CREATION_MODE=login'],
  forgejo: ['ENABLE_AUTO_REGISTRATION = true', 'group names: groups'],
  gitea: ['ENABLE_AUTO_REGISTRATION = true', 'USERNAME = preferred_username', 'group names: groups'],
  gitlab: ["gitlab_rails['omniauth_block_auto_created_users'] = false"],
  grafana: ['LOGIN_ATTRIBUTE_PATH=preferred_username', 'ROLE_ATTRIBUTE_PATH=contains(groups[*]'],
  harbor: ['Automatic onboarding: on'],
  jellyfin: ['Do not validate OpenID endpoints: yes', 'Scheme override: https', 'Enable all folders: yes'],
  komga: ['oauth2-account-creation: true'],
  kubernetes: ['--oidc-extra-scope=profile', '--oidc-extra-scope=email'],
  minio: ['MINIO_IDENTITY_OPENID_ROLE_POLICY='],
  nextcloud: ['--mapping-groups=groups --group-provisioning=1'],
  'open-webui': ['WEBUI_URL='],
  'oauth2-proxy': ['OAUTH2_PROXY_COOKIE_SECRET=', 'OAUTH2_PROXY_UPSTREAMS=', 'offline_access'],
  'paperless-ngx': ['PAPERLESS_SOCIAL_AUTO_SIGNUP=true'],
  portainer: ['Automatic user provisioning: on'],
  'rocket-chat': ['Token sent via: Payload', 'Identity token sent via: Header'],
  'snipe-it': [
    'Attribute mapping - Username: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname',
  ],
  zabbix: ['Configure JIT provisioning: yes', 'Group name attribute: http://schemas.xmlsoap.org/claims/Group'],
};

describeOnSqlite('templates of applications', (server) => {
  const texts = new Map<string, string>();
  const textOf = (id: string) => texts.get(id) ?? '';

  test('name only addresses and attributes that the server has', async () => {
    const { admin, nobody, url } = server();
    const { body: mappings } = await admin.get('/propertymappings/provider/saml/?page_size=100');
    const attributes = mappings.results.map(({ saml_name }: { saml_name: string }) => saml_name);
    for (const template of templates) {
      const choices = {
        ...{ name: `T ${template.id}`, slug: `t-${template.id}`, address: template.address, groups: [] },
        ...{ redirect: '', signedOut: '', backchannel: '', entity: '' },
      };
      const { status, body } = await admin.put('/core/transactional/applications/', bodyFor(template, choices));
      expect([template.id, status]).toEqual([template.id, 200]);
      const text = setupOf(template, factsOf(choices.address, choices.slug, body), []);
      texts.set(template.id, text);
      // Forward auth, LDAP and RADIUS have none.
      if (body.issuer === undefined) continue;
      const root = body.issuer.split('/application/')[0];
      for (const [, path] of text.matchAll(new RegExp(`${root}(/[^\\s"',?]+)`, 'g'))) {
        // The issuer itself is a name: clients add the path of the discovery document to it.
        const address = /\/application\/o\/[^/]+\/?$/.test(path ?? '')
          ? `${path?.replace(/\/$/, '')}/.well-known/openid-configuration`
          : path;
        const found = await nobody.send('GET', `${url}${address}`.replace(url, ''));
        expect([template.id, path, found.status]).not.toEqual([template.id, path, 404]);
      }
      for (const [name] of text.matchAll(/http:\/\/schemas\.[^\s,]+/g))
        expect([template.id, attributes.includes(name)]).toEqual([template.id, true]);
    }
  });

  test('let in the chosen groups', () => {
    const text = (id: string, groups: string[]) => {
      const template = templates.find((one) => one.id === id);
      if (!template) throw new Error(`no template ${id}`);
      return setupOf(template, {}, groups);
    };
    const groups = ['Crew', 'Night shift'];
    expect(text('oauth2-proxy', groups)).toContain('OAUTH2_PROXY_ALLOWED_GROUPS=Crew,Night shift\n');
    expect(text('oauth2-proxy', groups)).not.toContain('# Only for some groups');
    expect(text('oauth2-proxy', [])).toContain('# Only for some groups: OAUTH2_PROXY_ALLOWED_GROUPS=\n');
    expect(text('oauth2-proxy', [])).not.toMatch(/^OAUTH2_PROXY_ALLOWED_GROUPS/m);
    expect(text('grafana', groups)).toContain('GF_AUTH_GENERIC_OAUTH_ALLOWED_GROUPS=Crew,Night shift\n');
    expect(text('jupyterhub', groups)).toContain('allowed_groups = {"Crew", "Night shift"}');
    expect(text('jupyterhub', groups)).not.toContain('allow_all');
    expect(text('argo-cd', groups)).toContain('g, Crew, role:readonly\n#     g, Night shift, role:readonly');
    expect(text('apache', groups)).toContain('  Require claim "groups:Crew"\n  Require claim "groups:Night shift"\n');
    expect(text('apache', groups)).not.toContain('valid-user');
    expect(text('open-webui', groups)).toMatch(
      /ROLE_MANAGEMENT=true\n.+=groups\nOAUTH_ALLOWED_ROLES=Crew,Night shift$/,
    );
    expect(text('open-webui', [])).not.toContain('ROLE');
    expect(text('nextcloud', [...groups, 'a.b'])).toContain(
      "--group-whitelist-regex='^(Crew|Night shift|a\\.b)$' --group-restrict-login-to-whitelist=1 \\\n",
    );
    expect(text('nextcloud', [])).not.toContain('whitelist');
    expect(text('bookstack', groups)).toMatch(/\n# Ext.+ ID: Crew\n# Ext.+ ID: Night shift$/);
    expect(text('bookstack', [])).toMatch(/GROUPS_CLAIM=groups$/);
    expect(text('proxmox', ['Crew'])).toMatch(
      /--groups-overwrite 1\n#.+\n.+'Crew-gatehouse' && .+ --groups 'Crew-gatehouse' --roles PVEAuditor$/,
    );
    expect(text('proxmox', [])).toMatch(/ \\\n {2}--groups-claim groups --groups-autocreate 1$/);
    // These take one group: with several, the application is limited here alone.
    for (const id of ['gitea', 'forgejo', 'mealie']) {
      expect(text(id, ['Night shift'])).toMatch(/^(?:OIDC_USER_GROUP=|Required claim.+: )Night shift$/m);
      expect(text(id, groups)).not.toMatch(/OIDC_USER_GROUP|Required claim/);
    }
    // Names are pasted into shells and files of others: one with signs of its own is not, nor are those beside it.
    for (const evil of ['$(reboot)', 'a\nb', 'x"; y', '`id`'])
      expect(text('oauth2-proxy', ['Crew', evil])).toBe(text('oauth2-proxy', []));
    for (const { id } of templates)
      expect(text(id, groups)).not.toMatch(/\{(?:quoted_|without_|with_|only_|any_)?groups?\}/);
  });

  test('say where they come from', () => {
    for (const { id, category, docs, checked } of templates) {
      // Those without a category fit any application, and have no documentation of their own.
      expect([id, docs !== undefined]).toEqual([id, category !== '']);
      if (docs !== undefined) expect([id, new URL(docs).protocol]).toEqual([id, 'https:']);
      if (!checked) continue;
      const { version, date, how } = checked;
      expect([id, version.trim() === version && version !== '', docs !== undefined]).toEqual([id, true, true]);
      expect([id, new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)]).toEqual([id, date]);
      expect(['run', 'read']).toContain(how);
    }
    expect(templates.length).toBeGreaterThanOrEqual(75);
    for (const id of Object.keys(logos)) expect([...templates, ...services].map((one) => one.id)).toContain(id);
  });

  test('search and bind where the directory of the application is', async () => {
    const { results } = (await server().admin.get('/providers/ldap/?page_size=100')).body;
    const bases = new Map(results.map(({ name, base_dn }: { name: string; base_dn: string }) => [name, base_dn]));
    const ldap = templates.filter(({ protocol }) => protocol === 'ldap');
    expect(ldap).toHaveLength(10);
    for (const { id } of ldap) {
      expect(textOf(id)).toContain(bases.get(`T ${id}`));
      expect(textOf(id)).toContain(`cn=SERVICE-ACCOUNT,ou=users,${bases.get(`T ${id}`)}`);
    }
  });

  test('serve the entered networks by RADIUS', async () => {
    const { results } = (await server().admin.get('/providers/radius/?name=T%20radius')).body;
    expect(results).toMatchObject([{ client_networks: '192.0.2.0/24' }]);
  });

  test('give the issuer as each program compares it', async () => {
    const issuerOf = async (id: string) =>
      (await server().nobody.send('GET', `/application/o/t-${id}/.well-known/openid-configuration`)).body.issuer;
    expect(textOf('vaultwarden')).toContain(`SSO_AUTHORITY=${await issuerOf('vaultwarden')}\n`);
    // Zulip adds a slash and the path of the discovery document.
    const zulip = await issuerOf('zulip');
    expect(textOf('zulip')).toContain(`"oidc_url": "${zulip.replace(/\/$/, '')}"`);
  });

  test.each(Object.entries(needed))('%s lets new people in, with their groups', (id, lines) => {
    for (const line of lines) expect(textOf(id)).toContain(line);
  });
});
