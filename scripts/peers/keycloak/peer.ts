import { findChromium } from '../../../test/support/chromium.ts';
import type { Peer } from '../peer.ts';
import { brokeredByOpenId, brokeredBySaml, setUpBrokers } from './brokers.ts';
import { fetchKeycloak, type Keycloak, startKeycloak } from './keycloak.ts';
import { openScene, type Scene } from './scene.ts';
import { setUpSources, throughOpenId, throughSaml } from './sources.ts';

const checks: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'as the provider of an OpenID source': throughOpenId,
  'as the identity provider of a SAML source': throughSaml,
  'as a client by OpenID': brokeredByOpenId,
  'as a client by SAML': brokeredBySaml,
};

/** Keycloak (Maven) as the other side of sources, and as an application, with people in Chromium. */
export const keycloak: Peer = {
  name: 'Keycloak',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return fetchKeycloak(folder);
  },
  async run(folder) {
    const server = await startKeycloak(folder);
    try {
      return await runAll(folder, server);
    } finally {
      await server.stop();
    }
  },
};

async function runAll(folder: string, server: Keycloak): Promise<boolean> {
  const scene = await openScene(folder, server, (await findChromium()) ?? '');
  let hasPassed = true;
  try {
    await setUpSources(scene);
    await setUpBrokers(scene);
    for (const [name, run] of Object.entries(checks)) {
      try {
        await run(scene);
        console.log(`Keycloak ${name}: passed`);
      } catch (error) {
        hasPassed = false;
        console.log(`Keycloak ${name}: FAILED`);
        console.error(error);
      }
    }
  } finally {
    await scene.close();
  }
  return hasPassed;
}
