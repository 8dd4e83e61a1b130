import type { MappingKind } from '../../../core/mapping/mapping-kind.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { notificationMapping } from './notification.resource.ts';

export const notification = (needs: { readonly sandbox: Sandbox }): MappingKind => ({
  resource: notificationMapping(needs),
});
