import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../../test/support/api.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { firstStart, processToken, startServerProcess } from '../../../test/support/gatehouse-process.ts';
import { bodyFor, factsOf, setupOf, type Template } from '../../../web/admin/applications/template.ts';
import { make } from '../gatehouse.ts';

/** She changes her password twice. */
export const ada = {
  username: 'ada',
  passwords: ['orchard beyond the hill', 'harvest beside the river', 'lantern above the harbour'],
} as const;
const peopleCount = 30;

/** A server with people in it, whose directory has a certificate for its address. */
export interface Served {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
  /** The file with the certificate, which is its own authority. */
  readonly authority: string;
  connect(template: Template): Promise<Connected>;
  stop(): Promise<unknown>;
}

/** What a program is given that reads the directory. */
export interface Connected {
  /** The text of the template, filled in as an administrator would. */
  readonly setup: string;
  readonly base: string;
  readonly bindDn: string;
  readonly password: string;
}

export async function serveDirectory(folder: string): Promise<Served> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const server = await startServerProcess({
    ...firstStart,
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_LDAP_PORT: String(port),
    GATEHOUSE_LDAPS_PORT: String(tlsPort),
  });
  const api = server.as(processToken);
  const pair = await make(api, '/crypto/certificatekeypairs/generate/', {
    ...{ common_name: '127.0.0.1', subject_alt_name: '127.0.0.1', validity_days: 2 },
  });
  const { body: certificate } = await api.get(`/crypto/certificatekeypairs/${pair.pk}/view_certificate/`);
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate.data);
  await addPeople(api);
  return {
    ...{ folder, port, tlsPort, authority },
    stop: () => server.stop(),
    async connect(template) {
      const { id, name, address } = template;
      const choices = {
        ...{ name, slug: id, address, redirect: '', signedOut: '', backchannel: '', entity: '' },
        groups: [],
      };
      const created = await make(api, '/core/transactional/applications/', bodyFor(template, choices), 'PUT');
      const { results } = (await api.get(`/providers/ldap/?search=${encodeURIComponent(name)}`)).body;
      const provider = results[0].pk;
      await make(api, `/providers/ldap/${provider}/`, { certificate: pair.pk }, 'PATCH');
      const account = await make(api, '/core/users/service_account/', { name: `${id}-reader`, expiring: false });
      await make(api, `/rbac/permissions/assigned_by_users/${account.user_pk}/assign/`, {
        ...{ model: 'svc_providers_ldap.ldapprovider', object_pk: String(provider) },
        permissions: ['svc_providers_ldap.search_full_directory'],
      });
      const facts = factsOf(address, id, created);
      const bindDn = (facts.bind_dn ?? '').replace('SERVICE-ACCOUNT', `${id}-reader`);
      const setup = setupOf(template, { ...facts, ldap_host: '127.0.0.1' }, [])
        .replaceAll(facts.bind_dn ?? '', bindDn)
        .replaceAll('the app password of the service account', account.token)
        .replaceAll('ldaps://127.0.0.1:636', `ldaps://127.0.0.1:${tlsPort}`);
      return { setup, base: facts.base_dn ?? '', bindDn, password: account.token };
    },
  };
}

async function addPeople(api: Api): Promise<void> {
  const keepers = await make(api, '/core/groups/', { name: 'keepers' });
  const person = await make(api, '/core/users/', {
    ...{ username: ada.username, name: 'Ada Löwe', email: 'ada@example.com', groups: [keepers.pk] },
  });
  await make(api, `/core/users/${person.pk}/set_password/`, { password: ada.passwords[0] });
  for (let index = 0; index < peopleCount; index += 1)
    await make(api, '/core/users/', { username: `person${index}`, name: `Person ${index}` });
}
