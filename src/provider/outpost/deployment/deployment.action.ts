import { unreachable } from '../../../core/outpost/connection-kind.ts';
import { connectionStateOf } from '../../../core/outpost/connection-states.ts';
import { actionOn } from '../../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  objectSchema,
  stringSchema,
  timeSchema,
} from '../../../resource/document/json-schema.ts';
import { deploymentStates, listDeployments } from './deployments.ts';

const deploymentSchema = objectSchema({
  connection: stringSchema,
  place: stringSchema,
  state: { type: 'string', enum: deploymentStates },
  message: stringSchema,
  checked: timeSchema,
  platform_healthy: booleanSchema,
  platform_version: stringSchema,
});

/** Where the outpost is deployed by service connections, and what came of it. */
export const deploymentAction = actionOn<{ pk: string }>()({
  name: 'deployment',
  on: 'row',
  method: 'GET',
  operation: 'deployment_list',
  page: { button: 'Deployment' },
  summary: 'List where the outpost is deployed, and in which state',
  access: 'visible',
  answer: { status: 200, schema: arrayOf(deploymentSchema), schemaName: 'OutpostDeployment' },
  async run({ row, call }) {
    const { read } = call.db;
    const shown = [];
    for (const { connection, connectionName, place, state, message, checked } of await listDeployments(read, row.pk)) {
      const { healthy, version } = (await connectionStateOf(read, connection)) ?? unreachable;
      const platform = { platform_healthy: healthy, platform_version: version };
      shown.push({ connection: connectionName, place, state, message, checked, ...platform });
    }
    return shown;
  },
});
