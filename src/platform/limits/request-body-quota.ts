import { networksOf } from '../../lib/cidr.ts';

const megabyte = 1024 * 1024;
/** Not counted, so that users can sign in while an attacker has exhausted the quota. Headers may take as much. */
const freeBytes = 16 * 1024;
const maxOfNetwork = 32 * megabyte;
/** Of the wider networks of an address: less than the total, so that no single site exhausts it. */
const maxOfWider = 64 * megabyte;
const maxInAll = 128 * megabyte;

/** The share of one request body in the quota. */
export interface BodyReservation {
  /** False if a body of this size exceeds the quota. */
  tryGrowTo(bytes: number): boolean;
  release(): void;
}

/**
 * Limits the memory for bodies: their senders are not authenticated yet, and may send slowly on many connections
 * (Slowloris).
 */
export function createRequestBodyQuota(): (clientIp: string) => BodyReservation {
  const heldBy = new Map<string, number>();
  let held = 0;
  return (clientIp) => {
    const networks = networksOf(clientIp);
    let counted = 0;
    return {
      tryGrowTo(bytes) {
        const more = bytes - freeBytes - counted;
        if (more <= 0) return true;
        const isFull = networks.some(
          ({ network, allowance }) => (heldBy.get(network) ?? 0) + more > (allowance === 1 ? maxOfNetwork : maxOfWider),
        );
        if (isFull || held + more > maxInAll) return false;
        for (const { network } of networks) heldBy.set(network, (heldBy.get(network) ?? 0) + more);
        held += more;
        counted += more;
        return true;
      },
      release() {
        for (const { network } of networks) {
          const left = (heldBy.get(network) ?? 0) - counted;
          if (left > 0) heldBy.set(network, left);
          else heldBy.delete(network);
        }
        held -= counted;
        counted = 0;
      },
    };
  };
}
