import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { text } from '../../../resource/fields/text.ts';
import { fieldFilter, keyFilter } from '../../../resource/query.ts';
import type { Resource } from '../../../resource/resource.ts';

/** What a user or a group becomes in a workspace directory. */
export function workspaceDirectoryMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/provider/workspace_directory/',
    model: 'svc_providers_workspace_directory.workspacedirectoryprovidermapping',
    schema: 'WorkspaceDirectoryProviderMapping',
    names: ['Workspace Directory Provider Mapping', 'Workspace Directory Provider Mappings'],
    component: 'xak-property-mapping-provider-workspace-directory-form',
    description: 'Decide what is written of a user or a group: return the remote object’s members.',
    table: 'mapping_workspace_directory',
    fields: {},
    filters: { pm_uuid: keyFilter, expression: fieldFilter('expression', text()) },
  });
}
