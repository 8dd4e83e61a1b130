import { sql } from 'kysely';
import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { Invalid } from '../../../lib/problem.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { previewedUser, previewQuery } from '../../../provider/previewed-user.ts';
import { objectSchema } from '../../../resource/json-schema.ts';
import type { Action } from '../../../resource/resource.ts';
import { idTokenClaims, lengthOf, type ScopeRow, scopeClaims, subjectOf, type TokenSettings } from './claims.ts';

export interface PreviewNeeds {
  readonly installId: string;
  readonly config: { readonly publicUrl: string };
  readonly sandbox: Sandbox;
}

/** Shows what an ID token would say of a user, with all scopes of the provider. */
export function previewUserAction({ sandbox, installId, config }: PreviewNeeds): Action<TokenSettings> {
  return {
    name: 'preview_user',
    on: 'row',
    method: 'GET',
    page: { button: 'Preview for a user' },
    summary: 'Show the claims that clients of the provider would get about a user',
    access: 'visible',
    query: previewQuery,
    answer: {
      status: 200,
      schema: objectSchema({ preview: { type: 'object', additionalProperties: true } }),
      schemaName: 'PropertyMappingPreview',
    },
    async run(input) {
      const { call, row: settings } = input;
      const user = await previewedUser(input);
      const mappings = await loadScopes(call.db.read, settings.pk);
      try {
        const { value: claims } = scopeClaims(sandbox, mappings, user, settings);
        const subject = subjectOf(settings.sub_mode, user, installId);
        const { now } = call;
        const expires = addMilliseconds(now, lengthOf(settings.access_token_validity));
        const { publicUrl } = config;
        return { preview: idTokenClaims({ settings, subject, claims, publicUrl, now, expires, authTime: now }) };
      } catch (error) {
        if (error instanceof MappingFailed) throw Invalid.whole(`A scope mapping failed: ${error.message}`);
        throw error;
      }
    },
  };
}

/** The scope mappings of a provider; mappings of other kinds mean nothing to it. */
async function loadScopes(query: Query, provider: number): Promise<ScopeRow[]> {
  const { rows } = await sql<ScopeRow>`select m.name, s.scope_name, m.expression,
    exists (select 1 from mapping_scope_token_sources t where t.mapping = m.pk) as wants_tokens from provider_property_mappings pm
    join property_mappings m on m.pk = pm.mapping join mapping_scope s on s.pk = m.pk
    where pm.provider = ${provider} order by m.name`.execute(query);
  return rows;
}
