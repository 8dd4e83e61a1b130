import { embedded } from '../resource/fields/computed.ts';
import type { RefField } from '../resource/fields/ref.ts';
import { sourceFamily } from './source.family.ts';

/** The source that something is linked to, shown as the base of all sources. */
export const embeddedSource: RefField = embedded(sourceFamily.model, 'uuid', { view: 'base' });

/** The same for kinds whose clients are promised an icon: without one it is empty, not null. */
export const embeddedSourceWithIcon: RefField = embedded(sourceFamily.model, 'uuid', { view: 'base_with_icon' });
