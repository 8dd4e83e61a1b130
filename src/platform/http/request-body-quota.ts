import { networksOf } from '../../lib/cidr.ts';

const megabyte = 1024 * 1024;
/** Not counted, so that people can sign in while somebody fills the room. A connection may hold as much in headers. */
const freeBytes = 16 * 1024;
const maxOfNetwork = 32 * megabyte;
/** Of the wider networks of an address: less than all, so that no site fills the room. */
const maxOfWider = 64 * megabyte;
const maxInAll = 128 * megabyte;

/** What the body of one request takes of the room. */
export interface BodyReservation {
  /** False if there is no room for a body of this size. */
  tryGrowTo(bytes: number): boolean;
  release(): void;
}

/** Bounds the memory for bodies: whoever sends slowly, on many connections, has not shown yet who they are. */
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
