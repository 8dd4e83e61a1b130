import type { EvaluateAccess } from '../../../core/application/application-access.ts';
import { Problem } from '../../../lib/problem.ts';
import { servedApplication } from '../../../provider/password-server/served-application.ts';
import { holdsOn } from '../../../resource/access/access.ts';
import { requireActor } from '../../../resource/call.ts';
import { booleanSchema, integerSchema, objectSchema } from '../../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../../resource/endpoint.ts';
import { parseKey } from '../../../resource/read/read.ts';
import { ldapModel, searchPermission } from './ldap-model.ts';

/** What the caller may do by an LDAP provider. Everybody may ask about themselves. */
export const ldapAccessEndpoint = (evaluate: EvaluateAccess): Endpoint =>
  defineEndpoint({
    id: 'outposts_ldap_access_check',
    method: 'GET',
    path: '/outposts/ldap/{id}/check_access/',
    page: { noButton: 'The page Access explains the same.' },
    summary: 'Check whether the caller may bind, and search the whole directory',
    access: 'authenticated',
    params: { id: integerSchema },
    query: [{ name: 'app_slug', schema: { type: 'string' } }],
    answer: {
      status: 200,
      schema: objectSchema({
        has_search_permission: booleanSchema,
        access: { $ref: '#/components/schemas/PolicyTestResult' },
      }),
      schemaName: 'LDAPCheckAccess',
    },
    async run({ call, engine }) {
      const actor = requireActor(call);
      const resource = engine.registry.require(ldapModel);
      const pk = Number(parseKey(resource, call.params.id ?? ''));
      const application = await servedApplication(call.db.read, pk);
      const slug = call.request.query.get('app_slug') || application?.slug;
      if (!application || slug !== application.slug) throw new Problem('not_found');
      const answers = await evaluate(call, actor.user.pk, [application], { dryRun: true });
      const passing = answers.get(application.pk)?.passing ?? false;
      return {
        has_search_permission: await holdsOn(actor, searchPermission, resource, pk, call.db.read),
        access: { passing, messages: [], log_messages: [] },
      };
    },
  });
