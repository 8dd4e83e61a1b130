import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { Filter } from '../resource/define.ts';
import type { Field, RowAlias } from '../resource/fields/field.ts';
import { missingObject, ref } from '../resource/fields/ref.ts';
import { canonicalUuid, isUuid } from '../resource/fields/scalar.ts';
import { noSuchChoice } from '../resource/query.ts';

/** Tables whose rows are targets of bindings under another key than their own. Callers know them by their own. */
const keyedApart = ['flows', 'flow_stage_bindings'];
const targetColumn = 'policybindingmodel_ptr_id';

const plain = ref('svc_policies.policybindingmodel', 'uuid');

/** What a binding is bound to: stored by the key of the target, shown by the key of the object that is the target. */
export const targetField: Field = {
  ...plain,
  kind: 'target',
  storage: { in: 'column', type: 'uuid', shownAs: ownKey },
};

function ownKey(row: RowAlias): RawBuilder<unknown> {
  const target = row.col('target');
  const own = keyedApart.map(
    (table) => sql`(select o.pk from ${sql.table(table)} o where o.${sql.ref(targetColumn)} = ${target})`,
  );
  return sql`coalesce(${sql.join([...own, target])})`;
}

/** The keys of the targets that a key stands for, its own or that of the object: none or one. */
function targetsOf(key: string): RawBuilder<unknown> {
  const apart = keyedApart.map(
    (table) => sql`select ${sql.ref(targetColumn)} as pk from ${sql.table(table)} where pk = ${key}`,
  );
  return sql.join([sql`select pk from policy_targets where pk = ${key}`, ...apart], sql` union all `);
}

/** The key of the target itself; null when there is none. */
export async function resolveTarget(key: string, query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`${targetsOf(key)}`.execute(query);
  return rows[0]?.pk ?? null;
}

export const missingTarget = (key: string) => ({ target: [missingObject(key)] });

/** Bindings of a target, or of several. */
export const targetFilter = (many: boolean): Filter => ({
  schema: many ? { type: 'array', items: plain.schema } : plain.schema,
  many,
  async condition({ texts, row, call }) {
    const given = many ? texts.flatMap((text) => text.split(',')) : texts.slice(-1);
    const keys: string[] = [];
    for (const text of given) {
      if (!isUuid(text)) return { complaint: `“${text}” is not a valid UUID.` };
      const key = await resolveTarget(canonicalUuid(text), call.db.read);
      if (key === null) return { complaint: noSuchChoice };
      keys.push(key);
    }
    return sql`${row.col('target')} in (${sql.join(keys)})`;
  },
});
