import type { RefField } from '../resource/fields/ref.ts';
import { embedded } from '../resource/fields/shown.ts';
import { sourceFamily } from './source.family.ts';

/** The source that something is linked to, shown as the base of all sources. */
export const embeddedSource: RefField = embedded(sourceFamily.model, 'uuid', { view: 'base' });
