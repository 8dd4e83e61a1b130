import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

/** A directory that people are copied to. */
export async function workspaceDirectoryDemo({ api, people }: Demo): Promise<DemoProvider> {
  const { ada, company } = people;
  const mappings = await api.list('/propertymappings/provider/workspace_directory/');
  const called = (name: string) =>
    mappings.filter((mapping) => String(mapping.managed).endsWith(name)).map(({ pk }) => pk);
  const provider = await api.ensure(
    '/providers/workspace_directory/',
    { name: 'Demo Directory' },
    {
      delegated_subject: 'admin@example.com',
      credentials: {
        type: 'service_account',
        client_email: 'demo@example.com',
        private_key: 'none: this is demo data',
      },
      default_group_email_domain: 'example.com',
      property_mappings: called('/user'),
      property_mappings_group: called('/group'),
    },
  );
  const link = { provider: provider.pk };
  await api.ensure('/providers/workspace_directory_users/', { google_id: 'demo-ada', ...link }, { user: ada.pk });
  await api.ensure(
    '/providers/workspace_directory_groups/',
    { google_id: 'demo-company', ...link },
    { group: company.pk },
  );
  return { provider };
}
