import { MappingFailed } from '../../../../core/mapping/evaluate.ts';
import { Invalid } from '../../../../lib/problem.ts';
import { message } from '../../../../lib/texts/message.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Row } from '../../../../resource/fields/field.ts';
import { modelFacts } from '../../../../resource/write/audit.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { scimSourceModel } from '../scim.resource.ts';
import type { ResourceType } from './resource-type.ts';
import type { ScimRequest } from './scim-request.ts';

const app = 'svc_sources_scim';

/** Runs a change in one transaction. Errors roll back and become SCIM errors. */
export async function inScimWrite<T>(
  exchange: ScimRequest,
  type: ResourceType,
  work: (tx: Query) => Promise<T>,
): Promise<T> {
  const { call } = exchange;
  try {
    return await call.db.write(work);
  } catch (error) {
    if (error instanceof MappingFailed) throw await mappingRefusal(exchange, error);
    if (error instanceof Invalid) throw takenBy(error, exchange, type) ?? error;
    const violation = call.db.dialect.violation(error);
    if (violation?.kind === 'unique')
      throw new ScimError(409, 'Another request has just taken this name.', 'uniqueness');
    if (violation?.kind === 'size') throw new ScimError(400, 'A value is too long to be stored.', 'invalidValue');
    throw error;
  }
}

/** The uniqueness error if another user has the name or the address: existing users are never adopted. */
function takenBy({ complaints }: Invalid, { needs }: ScimRequest, { name, naming, targetModel }: ResourceType) {
  const { allFields } = needs.engine.registry.require(targetModel);
  const [taken] =
    Object.entries(complaints).find(([member, words]) => {
      const unique = allFields[member]?.unique;
      return unique !== undefined && Object.values(words).includes(unique);
    }) ?? [];
  if (taken === undefined) return null;
  const attribute = taken === naming.property ? naming.attribute : taken;
  return new ScimError(409, `A ${name.toLowerCase()} with this ${attribute} exists already.`, 'uniqueness');
}

/** Only administrators see the details of the error; the client only learns that there is one. */
async function mappingRefusal(exchange: ScimRequest, error: MappingFailed): Promise<ScimError> {
  const { call } = exchange;
  const context = {
    message: message('Failed to evaluate the property mappings of a source: {reason}', { reason: error.message }),
    expression: error.expression,
    source: sourceFacts(exchange),
  };
  await call.db.write((tx) => call.world.record(tx, call, { action: 'configuration_error', app, context }));
  return new ScimError(400, 'The property mappings of the source could not be evaluated.', 'invalidValue');
}

/** A write by the system: the source has no permissions, and its write is recorded as one event. */
export const asSystem = (call: Call): Call => ({
  ...call,
  actor: null,
  world: { ...call.world, record: async () => {} },
});

interface ScimWrite {
  readonly verb: 'created' | 'updated' | 'deleted' | 'unlinked';
  readonly pk: string | number;
  readonly values: Row;
  readonly changed: readonly string[];
}

/** The event of a write. Users are described as in other events. */
export function recordScimWrite(
  exchange: ScimRequest,
  type: ResourceType,
  tx: Query,
  { verb, pk, values, changed }: ScimWrite,
): Promise<void> {
  const { call, needs } = exchange;
  const model = modelFacts(needs.engine.registry.require(type.targetModel), pk, values);
  const source = sourceFacts(exchange);
  const isUserWrite = type.name === 'User' && verb !== 'deleted';
  const ofModel = verb === 'unlinked' ? 'model_updated' : `model_${verb}`;
  const action = isUserWrite ? 'user_write' : ofModel;
  const context = {
    model,
    source,
    ...(verb === 'unlinked' && {
      message: 'The source no longer manages this object. It was not deleted, since the source did not create it.',
    }),
    ...(isUserWrite && { created: verb === 'created' }),
    ...(verb !== 'deleted' && { changed }),
  };
  return call.world.record(tx, call, { action, app, context });
}

const sourceFacts = ({ needs, source }: ScimRequest) =>
  modelFacts(needs.engine.registry.require(scimSourceModel), source.pk, { name: source.name });
