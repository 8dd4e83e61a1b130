import type { Resource } from '../../resource/resource.ts';
import type { Kind } from '../kind/kind.ts';

/** A kind of mapping without a source or provider; those add theirs through `resources`. */
export interface MappingKind extends Kind {
  readonly resource: Resource;
}
