import { equal } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasDebianPackage } from '../../test/support/debian-package.ts';
import { findEapolTest, joinWifi } from '../../test/support/eapol.ts';
import { freePort } from '../../test/support/free-port.ts';
import { firstStart, processToken, startServerProcess } from '../../test/support/gatehouse-process.ts';
import { make } from './gatehouse.ts';
import { endOf, type Peer } from './peer.ts';

const password = 'orchard beyond the hill';
const secret = 'the secret of the access points';
const username = 'ada';
const program = '/usr/sbin/freeradius';

/** FreeRADIUS takes requests by UDP and passes them on to Gatehouse by RadSec. */
export const freeRadius: Peer = {
  name: 'FreeRADIUS',
  async prepare() {
    const isThere =
      (await hasDebianPackage('freeradius freeradius-utils', [program, '/usr/bin/radclient'])) &&
      (await findEapolTest());
    return isThere ? null : 'there are no packages of Debian';
  },
  async run(parent) {
    const folder = mkdtempSync(join(parent, 'freeradius-'));
    const [tlsPort, port] = [await freePort(), await freePort()];
    const server = await startServerProcess({
      ...firstStart,
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
      GATEHOUSE_RADSEC_PORT: String(tlsPort),
    });
    try {
      const api = server.as(processToken);
      const pairs = new Map<string, string>();
      for (const name of ['127.0.0.1', 'proxy', username]) {
        const body = { common_name: name, subject_alt_name: name, validity_days: 2 };
        const { pk } = await make(api, '/crypto/certificatekeypairs/generate/', body);
        pairs.set(name, pk);
        for (const part of ['certificate', 'private_key'])
          writeFileSync(
            join(folder, `${name}.${part}`),
            (await api.get(`/crypto/certificatekeypairs/${pk}/view_${part}/`)).body.data,
          );
      }
      const provider = await make(api, '/providers/radius/', {
        ...{ name: 'Wi-Fi', client_networks: '127.0.0.1', certificate: pairs.get('127.0.0.1') },
        ...{ radsec_ca: pairs.get('proxy'), client_ca: pairs.get(username) },
      });
      await make(api, '/core/applications/', { name: 'Wi-Fi', slug: 'wifi', provider: provider.pk });
      const user = await make(api, '/core/users/', { username, name: 'Ada' });
      await make(api, `/core/users/${user.pk}/set_password/`, { password });
      await throughProxy({ folder, port, tlsPort });
      return true;
    } catch (error) {
      console.error(error);
      return false;
    } finally {
      await server.stop();
    }
  },
};

interface Proxied {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
}

async function throughProxy({ folder, port, tlsPort }: Proxied): Promise<void> {
  const configuration = join(folder, 'proxy');
  mkdirSync(configuration);
  writeFileSync(join(configuration, 'radiusd.conf'), configurationOf({ folder, port, tlsPort }));
  const child = spawn(program, ['-f', '-l', 'stdout', '-d', configuration], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    for (let tries = 0; answerTo(port, 'status', ['Message-Authenticator = 0x00']) === null && tries < 10; tries++)
      await wait(500);
    const byPap = (given: string) =>
      answerTo(port, 'auth', [
        `User-Name = "${username}"`,
        `User-Password = "${given}"`,
        'Message-Authenticator = 0x00',
      ]);
    equal(byPap(password), 'Access-Accept');
    equal(byPap('wrong'), 'Access-Reject');
    const device = { port, secret, files: {} };
    const settings = { identity: username, ca_cert: join(folder, '127.0.0.1.certificate') };
    for (const phase1 of ['tls_disable_tlsv1_3=1', 'tls_disable_tlsv1_3=0']) {
      const byTtls = (given: string) =>
        joinWifi({ ...device, settings: { ...settings, phase1, eap: 'TTLS', phase2: 'auth=PAP', password: given } });
      const { isIn, hasKeys } = await byTtls(password);
      equal(isIn && hasKeys, true);
      equal((await byTtls('wrong')).isIn, false);
      const client_cert = join(folder, `${username}.certificate`);
      const private_key = join(folder, `${username}.private_key`);
      const byTls = await joinWifi({
        ...device,
        settings: { ...settings, phase1, eap: 'TLS', client_cert, private_key },
      });
      equal(byTls.isIn && byTls.hasKeys, true);
    }
  } finally {
    await endOf(child);
  }
}

/** The code of the answer, or null without one. */
function answerTo(port: number, command: string, lines: readonly string[]): string | null {
  const args = ['-x', '-r', '1', '-t', '4', `127.0.0.1:${port}`, command, secret];
  const { stdout } = spawnSync('/usr/bin/radclient', args, { input: `${lines.join('\n')}\n`, encoding: 'utf8' });
  return /^Received (\S+) Id /m.exec(stdout)?.[1] ?? null;
}

const configurationOf = ({ folder, port, tlsPort }: Proxied): string => `
prefix = /usr
libdir = /usr/lib/freeradius
run_dir = ${folder}
logdir = ${folder}
proxy_requests = yes
security {
  allow_vulnerable_openssl = yes
  status_server = yes
}
thread pool {
  start_servers = 2
  max_servers = 4
}
modules {
}
home_server gatehouse {
  type = auth
  ipaddr = 127.0.0.1
  port = ${tlsPort}
  proto = tcp
  secret = radsec
  status_check = status-server
  tls {
    private_key_file = ${folder}/proxy.private_key
    certificate_file = ${folder}/proxy.certificate
    ca_file = ${folder}/127.0.0.1.certificate
  }
}
home_server_pool gatehouse {
  home_server = gatehouse
}
realm gatehouse {
  auth_pool = gatehouse
}
client access_points {
  ipaddr = 127.0.0.1
  secret = "${secret}"
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    update control {
      Proxy-To-Realm := "gatehouse"
    }
  }
}
`;
