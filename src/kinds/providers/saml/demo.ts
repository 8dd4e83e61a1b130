import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';
import { attributeMappings } from './install-defaults.ts';

/** A payroll service that people sign in to by SAML. */
export async function samlDemo({ api }: Demo): Promise<DemoProvider> {
  const mapping = await api.ensure(
    '/propertymappings/provider/saml/',
    { name: 'Demo: cost centre' },
    {
      saml_name: 'costCentre',
      friendly_name: 'Cost centre',
      expression: 'return request.user.attributes.cost_centre ?? null;',
    },
  );
  const managed = await api.list('/propertymappings/provider/saml/?managed__isnull=false');
  const provider = await api.ensure(
    '/providers/saml/',
    { name: 'Demo Payroll' },
    {
      acs_url: 'https://payroll.example.com/saml/acs',
      audience: 'https://payroll.example.com/saml/metadata',
      sls_url: 'https://payroll.example.com/saml/slo',
      property_mappings: [
        ...managed.filter(({ managed: key }) => attributeMappings.includes(String(key))).map(({ pk }) => pk),
        mapping.pk,
      ],
    },
  );
  return {
    provider,
    application: { slug: 'demo-payroll', name: 'Demo Payroll', meta_description: 'What the demo company pays' },
  };
}
