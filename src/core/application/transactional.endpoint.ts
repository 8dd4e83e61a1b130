import { type Complaints, Invalid } from '../../lib/problem.ts';
import { checkMayAdd } from '../../resource/access/access.ts';
import { everyCredential } from '../../resource/access/credentials.ts';
import { arrayOf, booleanSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { requestSchema } from '../../resource/document/schemas.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Row } from '../../resource/fields/field.ts';
import { json, list } from '../../resource/fields/structured.ts';
import { choice } from '../../resource/fields/text.ts';
import type { Resource } from '../../resource/resource.ts';
import { byName, unknownMembers, wantsStrict } from '../../resource/write/strict.ts';
import { createRow } from '../../resource/write/write-row.ts';
import { assignableModels } from '../access/models.ts';
import { applicationModel, bindingModel } from './models.ts';

/** What an administrator enters at the application, derived from its new provider and its slug. */
export type ClientFacts = (provider: Row, slug: string) => Readonly<Record<string, string>>;

interface DescribedKind {
  readonly resource: Resource;
  readonly clientFacts?: ClientFacts;
}

/** The provider models that permissions name, with or without a kind. */
const plannedModels = assignableModels.filter((model) => /^svc_providers_\w+\.\w+provider$/.test(model));

const maxBindings = 100;

/** Creates an application together with its provider and its bindings, atomically. */
export function transactionalApplications(providerKinds: readonly DescribedKind[]): Endpoint {
  const models = providerKinds.map(({ resource }) => resource.model);
  return defineEndpoint({
    id: 'core_transactional_applications_update',
    method: 'PUT',
    path: '/core/transactional/applications/',
    summary: 'Create an application together with its provider',
    access: 'authenticated',
    credentials: everyCredential,
    body: {
      app: json({
        schema: { $ref: '#/components/schemas/ApplicationRequest' },
        help: 'The application, as for creating one.',
      }),
      provider_model: choice(models, {
        planned: plannedModels.filter((model) => !models.includes(model)),
        help: 'What kind of provider to make.',
      }),
      provider: json({ help: 'The provider, as for creating one of this model.' }),
      policy_bindings: list(json(), {
        default: () => [],
        max: maxBindings,
        help: 'Who may use the application, as for creating bindings, without their target. Without any, everybody may.',
      }),
    },
    bodySchema: 'TransactionApplicationRequest',
    answer: {
      status: 200,
      schema: {
        type: 'object',
        properties: {
          applied: booleanSchema,
          logs: arrayOf(stringSchema),
          issuer: stringSchema,
          client_id: stringSchema,
          client_secret: stringSchema,
          metadata_url: stringSchema,
          sso_url: stringSchema,
        },
        required: ['applied', 'logs'],
      },
      schemaName: 'TransactionApplicationResponse',
    },
    async run({ call, engine, tx, values }) {
      const kind = engine.registry.require(values.provider_model);
      const applications = engine.registry.require(applicationModel);
      const bindings = engine.registry.require(bindingModel);
      const wanted = values.policy_bindings;
      for (const resource of [kind, applications, ...(wanted.length > 0 ? [bindings] : [])])
        checkMayAdd(resource, call);
      const complaints: Complaints = {};
      const make = async (name: string, resource: Resource, body: Row) => {
        try {
          if (wantsStrict(call.request)) checkMembers(resource, body);
          return await createRow({ engine, resource, call, tx }, body);
        } catch (error) {
          if (!(error instanceof Invalid)) throw error;
          complaints[name] = byName(error.complaints);
          return null;
        }
      };
      const provider = await make('provider', kind, values.provider);
      // Also when the provider is invalid, to report all errors at once.
      const app = await make('app', applications, { ...values.app, provider: provider?.pk ?? null });
      for (const [order, binding] of app ? wanted.entries() : []) {
        await make('policy_bindings', bindings, { order, ...binding, target: app?.pk });
      }
      if (!provider || !app || complaints.policy_bindings) throw new Invalid(complaints);
      const { clientFacts } = providerKinds.find(({ resource }) => resource.model === kind.model) ?? {};
      const described = clientFacts?.(provider.values, String(app.values.slug));
      return { applied: true, logs: [], ...described };
    },
  });
}

/** The API document leaves the provider's type open, so its members are checked here. */
function checkMembers(resource: Resource, body: Row): void {
  const unknown = unknownMembers(body, requestSchema(resource.allFields, false).properties ?? {});
  if (Object.keys(unknown).length > 0) throw new Invalid(unknown);
}
