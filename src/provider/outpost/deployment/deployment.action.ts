import { connectionStateOf } from '../../../core/outpost/connection-states.ts';
import { actionOn } from '../../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../../resource/document/json-schema.ts';
import { deploymentStates, listDeployments } from './deployments.ts';

const deploymentSchema = objectSchema({
  state: { type: 'string', enum: ['none', ...deploymentStates] },
  message: stringSchema,
  checked: orNull(timeSchema),
  connection: stringSchema,
  place: stringSchema,
  platform_healthy: orNull(booleanSchema),
  platform_version: stringSchema,
  to_remove: arrayOf(stringSchema),
});

/** How the outpost is deployed by its service connection, and by which connections it has to be removed yet. */
export const deploymentAction = actionOn<{ pk: string; service_connection: string | null }>()({
  name: 'deployment',
  on: 'row',
  method: 'GET',
  page: { button: 'Deployment' },
  summary: 'Show how the outpost is deployed by its service connection',
  access: 'visible',
  answer: { status: 200, schema: deploymentSchema, schemaName: 'OutpostDeployment' },
  async run({ row, call }) {
    const { read } = call.db;
    const all = await listDeployments(read, row.pk);
    const shown = all.find(({ connection, state }) => connection === row.service_connection && state !== 'removing');
    const obsolete = all.filter((one) => one !== shown);
    const platform = shown && (await connectionStateOf(read, shown.connection));
    return {
      state: shown?.state ?? obsolete[0]?.state ?? 'none',
      message: (shown ?? obsolete[0])?.message ?? '',
      checked: (shown ?? obsolete[0])?.checked ?? null,
      connection: shown?.connectionName ?? '',
      place: shown?.place ?? '',
      // Null before the first check.
      platform_healthy: platform?.healthy ?? null,
      platform_version: platform?.version ?? '',
      to_remove: obsolete.map(({ connectionName, place }) => [connectionName, place].filter(Boolean).join(': ')),
    };
  },
});
