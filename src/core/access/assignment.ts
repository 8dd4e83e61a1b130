import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { ValuesOf } from '../../resource/fields/field.ts';
import { list } from '../../resource/fields/structured.ts';
import { choice, text } from '../../resource/fields/text.ts';
import type { Registry } from '../../resource/resource.ts';
import type { Grant } from './delegation.ts';
import { assignableModels } from './models.ts';
import { requireObjectKey } from './object-key.ts';

const maxAtOnce = 1000;
const permissions = { max: maxAtOnce, help: 'Permissions as `app.codename`, or codenames for one object.' };
const object = {
  model: choice(assignableModels, { required: false, help: 'The model of the one object, together with `object_pk`.' }),
  object_pk: text({ required: false, max: 255, help: 'The one object; without it permissions hold everywhere.' }),
};

/** Permissions to assign: global ones (`app.codename`), or on the one object that `model` and `object_pk` name. */
export const assignBody = { permissions: list(text({ max: 255 }), permissions), ...object };
export const unassignBody = {
  permissions: list(text({ max: 255 }), { ...permissions, default: () => [] }),
  ...object,
};

/** The grants in a body. Refuses unknown permissions and objects before anything is written. */
export async function readGrants(
  tx: Query,
  registry: Registry,
  values: Partial<ValuesOf<typeof assignBody>>,
): Promise<Grant[]> {
  const { permissions: names = [], model = null, object_pk: objectPk = null } = values;
  if ((model === null) !== (objectPk === null)) {
    throw Invalid.whole('The fields model, object_pk must be used together.');
  }
  if (model === null || objectPk === null) return globalGrants(tx, names);
  const key = await requireObjectKey(tx, registry, model, objectPk);
  return objectGrants(tx, names, model, key);
}

async function globalGrants(tx: Query, names: readonly string[]): Promise<Grant[]> {
  if (names.some((name) => !name.includes('.'))) {
    throw Invalid.field(
      'permissions',
      'When assigning global permissions, codename must be given as app_label.codename',
    );
  }
  const found = await findPermissions(tx, names, sql`app_label || '.' || codename`);
  return names.map((name) => grantOf(found, name, name, null));
}

/** Only the part after the last dot counts: the app is the object's. */
async function objectGrants(tx: Query, names: readonly string[], model: string, objectPk: string): Promise<Grant[]> {
  const [app = '', modelName = ''] = model.split('.');
  const codenames = names.map((name) => name.slice(name.lastIndexOf('.') + 1));
  const ofModel = sql`app_label = ${app} and model = ${modelName}`;
  const found = await findPermissions(tx, codenames, sql`codename`, ofModel);
  return codenames.map((codename, index) => grantOf(found, codename, names[index] ?? codename, objectPk));
}

interface PermissionRow {
  readonly key: string;
  readonly pk: number;
  readonly name: string;
}

async function findPermissions(
  tx: Query,
  keys: readonly string[],
  key: ReturnType<typeof sql>,
  condition = sql`1 = 1`,
): Promise<ReadonlyMap<string, PermissionRow>> {
  if (keys.length === 0) return new Map();
  const { rows } =
    await sql<PermissionRow>`select ${key} as key, pk, app_label || '.' || codename as name from permissions
    where ${key} in (${sql.join(keys)}) and ${condition}`.execute(tx);
  return new Map(rows.map((row) => [row.key, row]));
}

function grantOf(
  found: ReadonlyMap<string, PermissionRow>,
  key: string,
  given: string,
  objectPk: string | null,
): Grant {
  const permission = found.get(key);
  if (!permission) throw Invalid.field('permissions', `Permission "${given}" does not exist.`);
  return { permission: permission.pk, name: permission.name, objectPk };
}
