import { loadKeyPair } from '../../../../core/key/key-pair.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { ResourceWorld } from '../../../../resource/call.ts';
import type { LdapSource } from '../ldap-model.ts';
import type { DirectorySettings } from './directory.ts';

/** How the directory of a source is reached, with its certificates and its password. */
export async function directorySettings(
  source: LdapSource,
  query: Query,
  world: ResourceWorld,
): Promise<DirectorySettings> {
  const load = (pk: string | null) => (pk === null ? null : loadKeyPair(query, world, pk));
  const [peer, client] = [await load(source.peer_certificate), await load(source.client_certificate)];
  return {
    serverUri: source.server_uri,
    startTls: source.start_tls,
    tls: {
      ca: peer?.certificate ?? null,
      pair: client?.key ? { cert: client.certificate, key: client.key } : null,
      verifies: source.verify_certificates,
      sni: source.sni,
    },
    bindDn: source.bind_cn,
    bindPassword: source.bind_password,
  };
}

/** The base of searches for users or groups. */
export const searchBase = ({ base_dn, additional_user_dn, additional_group_dn }: LdapSource, kind: 'user' | 'group') =>
  [kind === 'user' ? additional_user_dn : additional_group_dn, base_dn].filter((part) => part !== '').join(',');
