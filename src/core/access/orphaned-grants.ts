import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import type { Registry } from '../../resource/resource.ts';
import type { Outdated } from '../cleanup/delete-in-batches.ts';

const tables = ['user_object_permissions', 'role_object_permissions'] as const;

/** Deletes the permissions that users and roles have on an object that is deleted. */
export async function deleteGrantsOn(tx: Query, models: readonly string[], pk: string | number): Promise<void> {
  const isOf = models.map((model) => {
    const [app, name] = model.split('.');
    return sql`app_label = ${app} and model = ${name}`;
  });
  for (const table of tables) {
    await sql`delete from ${sql.table(table)} where object_pk = ${String(pk)}
        and permission in (select pk from permissions where ${sql.join(isOf, sql` or `)})`.execute(tx);
  }
}

/** Grants on objects that were deleted along with others. */
export async function orphanedGrants({ read, dialect }: Database, registry: Registry): Promise<Outdated[]> {
  const found: Outdated[] = [];
  for (const table of tables) {
    const { rows } = await sql<{ app_label: string; model: string; pk: number }>`select p.app_label, p.model, p.pk
      from permissions p where p.pk in (select permission from ${sql.table(table)})`.execute(read);
    for (const [model, permissions] of Map.groupBy(rows, ({ app_label, model }) => `${app_label}.${model}`)) {
      const resource = registry.find(model);
      if (!resource) continue;
      const key = dialect.keyFromText(sql.ref(`${table}.object_pk`), resource.key);
      // By their numbers: PostgreSQL might cast keys of other models otherwise, which fails.
      const ids = permissions.map(({ pk }) => pk);
      found.push({
        table,
        name: 'permissions on deleted objects',
        where: () => sql`permission in (${sql.join(ids)})
          and not exists (select 1 from ${sql.table(resource.rootTable)} t where t.pk = ${key})`,
      });
    }
  }
  return found;
}
