import { networkOf } from '../../lib/cidr.ts';

const megabyte = 1024 * 1024;
/** Not counted, so that people can sign in while somebody fills the room. A connection may hold as much in headers. */
const freeBytes = 16 * 1024;
const maxOfNetwork = 32 * megabyte;
const maxInAll = 128 * megabyte;

/** What the body of one request takes of the room. */
export interface BodyShare {
  /** False if there is no room for a body of this size. */
  growTo(bytes: number): boolean;
  release(): void;
}

/** Bounds the memory for bodies: whoever sends slowly, on many connections, has not shown yet who they are. */
export function createBodyRoom(): (clientIp: string) => BodyShare {
  const heldBy = new Map<string, number>();
  let held = 0;
  return (clientIp) => {
    const network = networkOf(clientIp);
    let counted = 0;
    return {
      growTo(bytes) {
        const more = bytes - freeBytes - counted;
        if (more <= 0) return true;
        const ofTheirs = (heldBy.get(network) ?? 0) + more;
        if (ofTheirs > maxOfNetwork || held + more > maxInAll) return false;
        heldBy.set(network, ofTheirs);
        held += more;
        counted += more;
        return true;
      },
      release() {
        const left = (heldBy.get(network) ?? 0) - counted;
        if (left > 0) heldBy.set(network, left);
        else heldBy.delete(network);
        held -= counted;
        counted = 0;
      },
    };
  };
}
