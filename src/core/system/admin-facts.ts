import { countWorkers } from '../../platform/jobs/queue.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { assignableNames } from '../access/models.ts';
import { appLabelOf, appNames } from '../event/app-names.ts';
import { appLabel } from './app-label.ts';

/** The running version. Gatehouse does not check for updates. */
export function versionEndpoint(version: string): Endpoint {
  return defineEndpoint({
    id: 'admin_version_retrieve',
    method: 'GET',
    path: '/admin/version/',
    summary: 'Read the version that runs',
    access: 'authenticated',
    answer: {
      status: 200,
      schema: objectSchema({
        version_current: stringSchema,
        version_latest: stringSchema,
        version_latest_valid: booleanSchema,
        build_hash: stringSchema,
        outdated: booleanSchema,
        outpost_outdated: booleanSchema,
      }),
      schemaName: 'Version',
    },
    run: async () => ({
      version_current: version,
      version_latest: version,
      version_latest_valid: false,
      build_hash: '',
      outdated: false,
      outpost_outdated: false,
    }),
  });
}

/** Each instance runs background jobs. */
export const workersEndpoint: Endpoint = defineEndpoint({
  id: 'admin_workers_retrieve',
  method: 'GET',
  path: '/admin/workers/',
  summary: 'Count the processes that do background work',
  access: 'authenticated',
  answer: { status: 200, schema: objectSchema({ count: integerSchema }), schemaName: 'Workers' },
  run: async ({ call }) => ({ count: await countWorkers(call.db, call.now) }),
});

const names: JsonSchema = arrayOf(objectSchema({ name: stringSchema, label: stringSchema }));

/** The apps that event matchers can filter by. */
export const appsEndpoint: Endpoint = defineEndpoint({
  id: 'admin_apps_list',
  method: 'GET',
  path: '/admin/apps/',
  summary: 'List the parts of the server that emit events',
  access: 'authenticated',
  answer: { status: 200, schema: names, schemaName: 'App' },
  run: async () => appNames.map((name) => ({ name, label: appLabel(appLabelOf(name)) })),
});

/** The models that event matchers can filter by. */
export const modelsEndpoint: Endpoint = defineEndpoint({
  id: 'admin_models_list',
  method: 'GET',
  path: '/admin/models/',
  summary: 'List the kinds of object that events are about',
  access: 'authenticated',
  answer: { status: 200, schema: names, schemaName: 'App' },
  run: async () => assignableNames.map(([name, label]) => ({ name, label })),
});
