import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { workspaceDirectoryDemo } from './demo.ts';
import { workspaceDirectoryGroups, workspaceDirectoryUsers } from './links.resource.ts';
import { workspaceDirectoryProvider } from './workspace-directory.resource.ts';
import { workspaceDirectoryMapping } from './workspace-directory-mapping.resource.ts';

/** Copies people and groups into a workspace directory. */
export const workspaceDirectory = (needs: { readonly sandbox: Sandbox }): ProviderKind => ({
  resource: workspaceDirectoryProvider,
  resources: [workspaceDirectoryMapping(needs), workspaceDirectoryUsers, workspaceDirectoryGroups],
  demo: workspaceDirectoryDemo,
});
