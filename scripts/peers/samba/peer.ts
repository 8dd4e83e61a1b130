import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { firstStart, processToken, startServerProcess } from '../../../test/support/gatehouse-process.ts';
import { localDirectories } from '../../../test/support/ldap-source.ts';
import type { Peer } from '../peer.ts';
import { checks } from './checks.ts';
import { findSamba, startDomain } from './domain.ts';

/** Samba (Debian) as a domain controller of Active Directory, whose users and groups an LDAP source reads. */
export const samba: Peer = {
  name: 'Samba',
  prepare: () => findSamba(),
  async run(folder) {
    const domain = await startDomain(folder);
    const data = mkdtempSync(join(folder, 'data-'));
    const server = await startServerProcess({ ...firstStart, ...localDirectories.env, GATEHOUSE_DATA_DIR: data });
    const scene = { domain, gatehouse: server.url, api: server.as(processToken) };
    let hasPassed = true;
    try {
      // Each goes on from where the one before has ended.
      for (const [name, run] of Object.entries(checks)) {
        try {
          await run(scene);
          console.log(`Samba, ${name}: passed`);
        } catch (error) {
          hasPassed = false;
          console.log(`Samba, ${name}: FAILED`);
          console.error(error);
        }
      }
    } finally {
      await server.stop();
      await domain.stop();
    }
    return hasPassed;
  },
};
