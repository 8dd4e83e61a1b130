import { sql } from 'kysely';
import type { ProviderFilters } from '../../../core/application/provider-filters.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';

/** Applications by a part of a redirect address, and by a scope that their provider offers. */
export const applicationFilters: ProviderFilters = {
  redirect_uri: {
    schema: stringSchema,
    condition: (text, provider, dialect) => sql`exists (select 1 from provider_oauth2 o where o.pk = ${provider}
      and ${dialect.contains(dialect.toText(sql`o.redirect_uris`), text)})`,
  },
  scope: {
    schema: stringSchema,
    condition: (text, provider) => sql`exists (select 1 from provider_property_mappings pm
      join mapping_scope s on s.pk = pm.mapping where pm.provider = ${provider} and s.scope_name = ${text})`,
  },
};
