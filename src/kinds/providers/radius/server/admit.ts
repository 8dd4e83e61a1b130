import {
  attributeTypes,
  checkMessageAuthenticator,
  codes,
  type Packet,
  valuesOf,
} from '../../../../lib/radius/packet.ts';
import type { ServedProvider } from '../served-providers.ts';

/** Why a request gets no answer; null if it is to be answered. */
export function whyNotAnswered(
  packet: Packet,
  { secret, require_message_authenticator }: Pick<ServedProvider, 'secret' | 'require_message_authenticator'>,
): string | null {
  if (packet.code !== codes.accessRequest && packet.code !== codes.statusServer) return 'its code is not supported';
  const proof = checkMessageAuthenticator(packet, secret);
  if (proof === 'invalid') return 'its Message-Authenticator is wrong: the shared secret may differ';
  if (proof === 'valid') return null;
  if (require_message_authenticator || packet.code === codes.statusServer) return 'it has no Message-Authenticator';
  if (valuesOf(packet, attributeTypes.eapMessage).length > 0) return 'it carries EAP without a Message-Authenticator';
  // An attacker on the way hides the chosen part of a collision in it (Blast-RADIUS).
  if (valuesOf(packet, attributeTypes.proxyState).length > 0)
    return 'it carries Proxy-State without a Message-Authenticator';
  return null;
}
