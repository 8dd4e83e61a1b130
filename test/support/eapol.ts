import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasDebianPackage } from './debian-package.ts';

/** Whether `eapol_test` of wpa_supplicant, which acts as device and access point, is there, installed if need be. */
export const findEapolTest = (): Promise<boolean> => hasDebianPackage('eapoltest', ['/usr/bin/eapol_test']);

export interface Device {
  readonly port: number;
  readonly secret: string;
  /** Settings of a network block; files are given by their contents. */
  readonly settings: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface EapolResult {
  readonly isIn: boolean;
  /** The access point and the device have derived the same keys. */
  readonly hasKeys: boolean;
  readonly log: string;
}

/** Joins a Wi-Fi as a device does. */
export function joinWifi({ port, secret, settings, files = {} }: Device): Promise<EapolResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-eapol-'));
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}=${name === 'eap' ? value : `"${value}"`}`);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    lines.push(`  ${name}="${join(folder, name)}"`);
  }
  const path = join(folder, 'device.conf');
  // Without what it tolerates of servers that are not as the RFCs say.
  const strict = '  eap_workaround=0\n';
  writeFileSync(path, `network={\n  ssid="wifi"\n  key_mgmt=WPA-EAP\n${strict}${lines.join('\n')}\n}\n`);
  return new Promise((resolve) => {
    const args = ['-c', path, '-a', '127.0.0.1', '-p', String(port), '-s', secret, '-t', '10'];
    execFile('/usr/bin/eapol_test', args, { maxBuffer: 2 ** 26 }, (_, log) =>
      resolve({ isIn: /^SUCCESS$/m.test(log), hasKeys: log.includes('MPPE keys OK: 1'), log }),
    );
  });
}
