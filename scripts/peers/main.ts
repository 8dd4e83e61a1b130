import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mellon, openidc } from './apache.ts';
import { freeRadius } from './freeradius.ts';
import { gitea } from './gitea.ts';
import { headscale } from './headscale.ts';
import { jupyterhub } from './jupyterhub.ts';
import { keycloak } from './keycloak/peer.ts';
import { kubelogin } from './kubelogin.ts';
import { ldapClients } from './ldap-clients/peer.ts';
import { miniflux } from './miniflux.ts';
import { nodeRed } from './node-red.ts';
import { oauth2Proxy } from './oauth2-proxy.ts';
import { pgadmin } from './pgadmin.ts';
import { samba } from './samba/peer.ts';
import { scim2Server } from './scim2-server.ts';
import { scim2Tester } from './scim2-tester.ts';
import { synapse } from './synapse.ts';
import { traefik } from './traefik.ts';
import { zabbix } from './zabbix.ts';

/**
 * `npm run peers`: programs that others wrote drive a server of ours. Beside the tests, since they have to be fetched
 * first. Those whose names are given run alone: `npm run peers -- Samba`.
 */
const goPrograms = [oauth2Proxy, traefik, miniflux, gitea, headscale, kubelogin];
const programs = [...goPrograms, synapse, nodeRed, jupyterhub, pgadmin, openidc, mellon, zabbix];
const all = [scim2Tester, scim2Server, keycloak, ...programs, samba, ldapClients, freeRadius];

const chosen = process.argv.slice(2);
const peers = all.filter(({ name }) => chosen.length === 0 || chosen.includes(name));

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const results = new Map<string, string>();
for (const peer of peers) {
  const missing = await peer.prepare(folder);
  if (missing === null) results.set(peer.name, (await peer.run(folder)) ? 'passed' : 'FAILED');
  else results.set(peer.name, `could not be had (${missing})`);
}
for (const [name, result] of results) console.log(`${name}: ${result}`);
process.exitCode = results.size > 0 && [...results.values()].every((result) => result === 'passed') ? 0 : 1;
