import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkProtection, modes } from '../../test/support/check-protection.ts';
import type { ProtectingKind } from '../../test/support/protecting-proxy.ts';
import { startUpstreamApp } from '../../test/support/upstream-app.ts';
import { traefikFile } from '../../web/admin/applications/forward-auth/traefik.ts';
import { buildGo } from './go-program.ts';
import type { Peer } from './peer.ts';
import { inScene, type TemplateScene } from './template-scene.ts';

const program = { module: 'github.com/traefik/traefik/v3', version: 'v3.6.12', package: './cmd/traefik' };

/** Traefik (Go) with the file that the administration shows, in each mode of a proxy provider. */
export const traefik: Peer = {
  name: 'Traefik',
  prepare: (folder) => buildGo(folder, 'traefik', program),
  run: (folder) =>
    inScene(folder, (scene) => checkTraefik(scene, join(folder, 'traefik')), {
      GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
    }),
};

const kindOf = (binary: string): ProtectingKind => ({
  name: 'Traefik',
  binary,
  leavesDots: true,
  files: traefikFile,
  place(folder, files, { application }) {
    writeFileSync(join(folder, 'gatehouse.yaml'), files[0]?.text ?? '');
    return [
      `--entryPoints.web.address=127.0.0.1:${application.port}`,
      `--providers.file.filename=${join(folder, 'gatehouse.yaml')}`,
      ...['--global.checkNewVersion=false', '--global.sendAnonymousUsage=false', '--log.level=ERROR'],
    ];
  },
});

async function checkTraefik(scene: TemplateScene, binary: string): Promise<void> {
  const upstream = await startUpstreamApp();
  const server = { url: scene.gatehouse.replace('localhost', '127.0.0.1'), admin: scene.api };
  try {
    for (const mode of modes) {
      await checkProtection({ server, upstream, window: scene.window }, kindOf(binary), mode);
      console.log(`Traefik in the mode ${mode}: passed`);
    }
  } finally {
    await upstream.close();
  }
}
