import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

/** A file server that knows people by LDAP alone. */
export async function ldapDemo({ api }: Demo): Promise<DemoProvider> {
  const provider = await api.ensure(
    '/providers/ldap/',
    { name: 'Demo File Server' },
    { base_dn: 'DC=ldap,DC=demo,DC=example,DC=com', published_attributes: ['loginShell'] },
  );
  return {
    provider,
    application: { slug: 'demo-files', name: 'Demo Files', meta_description: 'The file server of the demo company' },
  };
}
