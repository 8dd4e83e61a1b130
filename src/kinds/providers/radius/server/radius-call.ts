import type { Packet } from '../../../../lib/radius/packet.ts';
import type { Call } from '../../../../resource/call.ts';
import type { ServedProvider } from '../served-providers.ts';

/** A request of a client that has shown that it has the secret, or need not. */
export interface RadiusCall {
  readonly call: Call;
  readonly packet: Packet;
  readonly provider: ServedProvider;
}
