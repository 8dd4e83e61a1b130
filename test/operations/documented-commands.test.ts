import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { hasDebianPackage } from '../support/debian-package.ts';
import { freePort } from '../support/free-port.ts';
import { firstStart, processToken, type RunningServer, startServerProcess } from '../support/gatehouse-process.ts';
import { until } from '../support/jobs.ts';
import { type MailReceiver, startMailReceiver } from '../support/receivers.ts';
import { type ScimTarget, startScimTarget } from '../support/scim-target.ts';
import { newFolder } from '../support/server.ts';
import { snippetsOf } from '../support/snippets.ts';

const hasPrograms =
  (await hasDebianPackage('curl', ['/usr/bin/curl'])) && (await hasDebianPackage('jq', ['/usr/bin/jq']));

const metadata = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://wiki.example/sp">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:AssertionConsumerService index="0" Location="https://wiki.example/acs"
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>`;

/** A request that is refused ends the script, also where it stands within another command. */
const strict = `set -euo pipefail
shopt -s inherit_errexit
curl() { command curl --fail-with-body "$@" || { local code=$?; echo "curl $*" >> refused; return $code; }; }
`;

describe.skipIf(!hasPrograms)('the commands in the documentation', () => {
  const folder = newFolder();
  let mail: MailReceiver;
  let target: ScimTarget;
  let server: RunningServer;
  let admin: Api;

  beforeAll(async () => {
    mail = await startMailReceiver();
    target = await startScimTarget();
    server = await startServerProcess({
      ...firstStart,
      PORT: String(await freePort()),
      GATEHOUSE_DATA_DIR: newFolder(),
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
      GATEHOUSE_SMTP_URL: mail.url,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.org',
    });
    admin = server.as(processToken);
  });
  afterAll(async () => {
    await server?.stop();
    await target?.close();
    await mail?.close();
  });

  /** Runs the snippets of a page one after the other, with what stands for the reader's own values replaced. */
  async function follow(page: string, own: Readonly<Record<string, string>> = {}, before = ''): Promise<string> {
    // Those of npm are for other folders.
    let script = snippetsOf(page, 'sh')
      .filter((text) => !text.includes('npm '))
      .join('\n');
    for (const [example, value] of Object.entries({ 'http://localhost:9000': server.url, ...own })) {
      expect(example === 'http://localhost:9000' || script.includes(example)).toBe(true);
      script = script.replaceAll(example, value);
    }
    const env = { PATH: process.env.PATH, HOME: folder, URL: server.url, TOKEN: processToken };
    const refused = join(folder, 'refused');
    writeFileSync(refused, '');
    const { stdout } = await promisify(execFile)('bash', ['-c', `${strict}${before}\n${script}`], { cwd: folder, env });
    expect(readFileSync(refused, 'utf8')).toBe('');
    return stdout;
  }

  test('read who one is', async () => {
    expect(JSON.parse(await follow('README.md'))).toMatchObject({ user: { username: 'admin' } });
  });

  test('enable the recovery of passwords', async () => {
    await follow('docs/recovery.md');
    const { body } = await admin.get('/core/brands/?default=true');
    expect(body.results[0].flow_recovery).toBe((await admin.get('/flows/instances/default-recovery-flow/')).body.pk);
  });

  test('invite a user by mail', async () => {
    const { body: group } = await admin.post('/core/groups/', { name: 'newcomers' });
    const said = await follow('docs/invitations.md', {}, `group=${group.pk}`);
    expect(said).toContain('/if/flow/default-enrollment-flow/?itoken=');
    await until(async () => mail.mails.length > 0);
    expect(mail.mails.map(({ to }) => to)).toEqual([['dana@example.org']]);
    const { body } = await admin.get('/stages/user_write/?name=default-enrollment-write');
    expect(body.results[0].create_users_group).toBe(group.pk);
  });

  test('mail everybody a link for a new password', async () => {
    const person = { username: 'mo', name: 'Mo', email: 'mo@example.org' };
    expect((await admin.post('/core/users/', person)).status).toBe(201);
    await follow('docs/migrating.md');
    await until(async () => mail.mails.some(({ to }) => to.includes('mo@example.org')));
    expect(mail.mails.find(({ to }) => to.includes('mo@example.org'))?.text).toContain(
      '/if/flow/default-recovery-flow/',
    );
  });

  test('notify a group of failed sign-ins', async () => {
    await follow('docs/notifications.md');
    const { body } = await admin.get('/events/rules/?name=failed%20sign-ins');
    expect(body.results).toMatchObject([{ severity: 'warning', group_obj: { name: 'security' } }]);
  });

  test('set up SAML applications, and push users and groups', async () => {
    const { body: pair } = await admin.post('/crypto/certificatekeypairs/generate/', {
      ...{ common_name: 'intranet.example.com', validity_days: 30 },
    });
    const { body: certificate } = await admin.get(`/crypto/certificatekeypairs/${pair.pk}/view_certificate/`);
    writeFileSync(join(folder, 'certificate.pem'), certificate.data);
    writeFileSync(join(folder, 'metadata.xml'), metadata);
    await follow('docs/applications.md', {
      'https://id.example.com': server.url,
      'ADMIN_TOKEN=...': `ADMIN_TOKEN=${processToken}`,
      'https://chat.example.com/scim/v2': String(target.settings.url),
      'SCIM_TOKEN=...': `SCIM_TOKEN=${target.settings.token}`,
    });
    expect(readFileSync(join(folder, 'gatehouse-metadata.xml'), 'utf8')).toContain('IDPSSODescriptor');
    expect(readFileSync(join(folder, 'gatehouse.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
    const { body: intranet } = await admin.get('/providers/saml/?name=intranet');
    expect(intranet.results).toMatchObject([{ acs_url: 'https://intranet.example.com/saml/acs' }]);
    await until(async () => [...target.users.values()].some(({ userName }) => userName === 'admin'));
  });

  test('connect sources', async () => {
    const { body: flow } = await admin.get('/flows/instances/default-provider-authorization-implicit-consent/');
    await admin.send('PUT', '/core/transactional/applications/', {
      app: { name: 'Upstream', slug: 'upstream' },
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: { name: 'upstream', authorization_flow: flow.pk, redirect_uris: [] },
    });
    await follow('docs/sources.md', {
      'https://id.example.com': server.url,
      'ADMIN_TOKEN=...': `ADMIN_TOKEN=${processToken}`,
      'https://id.company.example': `${server.url}/application/o/upstream`,
      'https://idp.partner.example/metadata': `${server.url}/application/saml/wiki/metadata/`,
    });
    expect((await admin.get('/core/users/?username=dana')).body.results).toMatchObject([{ email: 'dana@example.com' }]);
    expect((await admin.get('/sources/oauth/company/')).body.enrollment_flow).toBeTruthy();
    const { body: partner } = await admin.get('/sources/saml/partner/');
    expect([partner.verification_kp, partner.authentication_flow]).not.toContain(null);
  });
  test('are expressions that do what their pages say', async () => {
    const passing = async (page: string, context: unknown) => {
      const expression = snippetsOf(page, 'js')[0];
      const { body: policy } = await admin.post('/policies/expression/', { name: page, expression });
      const user = (await admin.get('/core/users/me/')).body.user.pk;
      return (await admin.post(`/policies/all/${policy.pk}/test/`, { user, context })).body.passing;
    };
    expect(await passing('docs/expressions.md', {})).toBe(false);
    const model = { model_name: 'group', name: 'Gatehouse Admins' };
    const event = { action: 'model_updated', context: { model, diff: { users: { added: [1] } } } };
    expect(await passing('docs/notifications.md', { event })).toBe(true);

    const result = async (kind: string, page: string, at: number, context: unknown) => {
      const expression = snippetsOf(page, 'js')[at];
      const { body: mapping } = await admin.post(`/propertymappings/${kind}/`, { name: page, expression });
      return (await admin.post(`/propertymappings/all/${mapping.pk}/test/`, { context })).body;
    };
    const group = await result('source/oauth', 'docs/expressions.md', 1, {
      group_id: '7',
      source: { slug: 'company' },
    });
    expect(group).toMatchObject({ successful: true });
    expect(JSON.parse(group.result)).toEqual({ name: 'company-7', attributes: { source: 'company' } });
    const data = { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Ships' } };
    const user = await result('source/scim', 'docs/sources.md', 0, { data });
    expect(JSON.parse(user.result)).toEqual({ attributes: { department: 'Ships' } });
  });
});
