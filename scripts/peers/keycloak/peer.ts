import { existsSync } from 'node:fs';
import { findChromium } from '../../../test/support/chromium.ts';
import { installDebianPackage } from '../../../test/support/debian-package.ts';
import { failureOf, type Peer } from '../peer.ts';
import { brokeredByOpenId, brokeredBySaml, setUpBrokers } from './brokers.ts';
import { type Keycloak, startKeycloak, version } from './keycloak.ts';
import { openScene, type Scene } from './scene.ts';
import { setUpSources, throughOpenId, throughSaml } from './sources.ts';

const maven = '/usr/bin/mvn';
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;

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
    if (!existsSync(maven)) {
      // It brings Java along.
      const reason = await installDebianPackage('maven');
      if (reason !== null) return reason;
    }
    if ((await findChromium()) === null) return 'there is no Chromium';
    const unpack = ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    // Maven leaves files where it runs.
    return failureOf(maven, unpack, {}, folder);
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
