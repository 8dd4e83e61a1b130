import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Apache } from '../../support/apache.ts';
import { findApacheLdap, startApacheLdap } from '../../support/apache-ldap.ts';
import { freePort } from '../../support/free-port.ts';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasApache = await findApacheLdap();

describeOnBoth(
  'Apache with mod_authnz_ldap',
  (server) => {
    let directory: Directory;
    let apache: Apache;
    let group = '';
    beforeAll(async () => {
      if (!hasApache) return;
      directory = await makeDirectory(server());
      await directory.service('apache');
      group = (await server().admin.post('/core/groups/', { name: 'Staff' })).body.pk;
      apache = await startApacheLdap(await freePort(), {
        ...{ url: `${directory.url}/ou=users,${base}`, bindDn: directory.dnOf('apache'), password },
        group: `cn=Staff,ou=groups,${base}`,
      });
    });
    afterAll(() => apache?.stop());

    const ask = async (username: string, given: string) => {
      const authorization = `Basic ${Buffer.from(`${username}:${given}`).toString('base64')}`;
      return (await fetch(`${apache.url}/protected/`, { headers: { authorization } })).status;
    };

    test.runIf(hasApache)('lets members of a group in by their password, through groups below too', async () => {
      const { admin } = server();
      const below = (await admin.post('/core/groups/', { name: 'Apprentices', parent: group })).body.pk;
      const [ada, bob] = [await directory.person('ada'), await directory.person('bob, (the) *')];
      await directory.person('stranger');
      await admin.post(`/core/groups/${group}/add_user/`, { pk: ada.pk });
      await admin.post(`/core/groups/${below}/add_user/`, { pk: bob.pk });
      expect((await fetch(`${apache.url}/protected/`)).status).toBe(401);
      expect([await ask('ada', password), await ask('bob, (the) *', password)]).toEqual([200, 200]);
      expect(await ask('stranger', password)).toBe(401);
      expect([await ask('ada', 'wrong'), await ask('ada', ''), await ask('*', password)]).toEqual([401, 401, 401]);
      expect(await ask('ada)(uid=*', password)).toBe(401);
    });

    test.runIf(hasApache)('keeps out who leaves the group or the company', async () => {
      const { admin } = server();
      const { pk } = await directory.person('leaver');
      await admin.post(`/core/groups/${group}/add_user/`, { pk });
      expect(await ask('leaver', password)).toBe(200);
      await admin.post(`/core/groups/${group}/remove_user/`, { pk });
      expect(await ask('leaver', password)).toBe(401);
      await admin.post(`/core/groups/${group}/add_user/`, { pk });
      await admin.patch(`/core/users/${pk}/`, { is_active: false });
      expect(await ask('leaver', password)).toBe(401);
    });
  },
  { env: ldapPorts },
);
