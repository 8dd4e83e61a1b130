import type { Resource } from '../../resource/resource.ts';
import type { Kind } from '../kind/kind.ts';

/** A kind of mapping that belongs to no source and no provider: those bring theirs among their `resources`. */
export interface MappingKind extends Kind {
  readonly resource: Resource;
}
