import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { refs } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';
import { apiScope, checkMayActAsUsers, mappingRights } from './api-scope.ts';

/** The claims of a scope. */
export function scopeMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/provider/scope/',
    model: 'svc_providers_oauth2.scopemapping',
    schema: 'ScopeMapping',
    names: ['Scope Mapping', 'Scope Mappings'],
    component: 'xak-property-mapping-provider-scope-form',
    description: 'Decide which claims a scope brings: return them as an object.',
    table: 'mapping_scope',
    search: ['name', 'scope_name'],
    check({ call, values, current }) {
      const isOfApi = [values.scope_name, current?.scope_name].includes(apiScope);
      const readsTokens = values.token_sources.length > 0 || (current?.token_sources ?? []).length > 0;
      if (isOfApi || readsTokens) checkMayActAsUsers(call);
      return null;
    },
    rightsOf: mappingRights,
    fields: {
      scope_name: text({ filter: true, help: 'The scope that a client requests to get these claims.' }),
      description: text({
        blank: true,
        default: '',
        help: 'What a user reads about it when asked for consent; nothing is shown when empty.',
      }),
      token_sources: refs('svc_sources_oauth.oauthsource', 'uuid', {
        table: 'mapping_scope_token_sources',
        own: 'mapping',
        other: 'source',
        default: () => [],
        limits: { only: 'superusers' },
        help: 'Sources whose access tokens of the user the expression reads, as source_tokens, at the userinfo endpoint.',
      }),
    },
  });
}
