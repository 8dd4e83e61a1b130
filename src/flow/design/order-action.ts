import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import { checkMayWrite } from '../../resource/access/may-write.ts';
import { actionOn } from '../../resource/define.ts';
import { arrayOf, objectSchema, uuidSchema } from '../../resource/document/json-schema.ts';
import { uuid } from '../../resource/fields/scalar.ts';
import { list } from '../../resource/fields/structured.ts';
import { selectOne } from '../../resource/read/read.ts';
import { updateRow } from '../../resource/write/write-row.ts';
import { stageBindingModel } from '../models.ts';

const maxSteps = 1_000;

/** Puts the stages of a flow in another order: all of it or nothing. */
export const orderAction = actionOn<{ pk: string }>()({
  name: 'order',
  on: 'row',
  method: 'POST',
  page: { noButton: 'The page of a flow writes it under Designer.' },
  summary: 'Reorder the stages of a flow',
  access: 'change',
  reaches: 'sign-in',
  body: {
    bindings: list(uuid(), { max: maxSteps, help: 'All stage bindings of the flow, in the order they shall have.' }),
    seen: list(uuid(), {
      max: maxSteps,
      nullable: true,
      default: null,
      help: 'The order that the caller saw. If the flow has another one by now, nothing is written (412).',
    }),
  },
  bodySchema: 'FlowOrderRequest',
  answer: { status: 200, schema: objectSchema({ bindings: arrayOf(uuidSchema) }), schemaName: 'FlowOrder' },
  async run({ call, engine, registry, row, values, tx }) {
    const bindings = registry.require(stageBindingModel);
    // Locked, so that of two concurrent changes the second fails.
    await sql`select t.pk from flows t where t.pk = ${row.pk} ${call.db.dialect.forUpdate}`.execute(tx);
    const { rows: before } = await sql<{ pk: string; stage: string; order: number }>`select pk, stage, "order"
      from flow_stage_bindings where target = ${row.pk} order by "order", pk`.execute(tx);
    const present = before.map(({ pk }) => pk);
    const wanted = values.bindings;
    if (values.seen && !isSame(values.seen, present))
      throw new Problem('precondition_failed', 'The stages of the flow have changed since they were read.');
    if (!isSame(wanted.toSorted(), present.toSorted()))
      throw Invalid.field('bindings', 'Name every stage binding of the flow once.');
    const numbers = numbersFor(before);
    for (const [at, pk] of wanted.entries()) {
      const order = numbers[at];
      if (before.find((binding) => binding.pk === pk)?.order === order) continue;
      const found = await selectOne({ engine, resource: bindings, call, tx }, [
        sql`${bindings.row().col('pk')} = ${pk}`,
      ]);
      if (!found) throw new Problem('not_found');
      await checkMayWrite(bindings, 'change', found.values, { call, registry, tx });
      await updateRow({ engine, resource: bindings, call, tx }, pk, found.values, { order }, 'patch');
    }
    return { bindings: wanted };
  },
});

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((pk, at) => pk === other[at]);

/**
 * The numbers of the places: those the flow has, so that only moved stages change. They are new ones where two stages
 * share a number, and where a stage is there twice: it cannot have the same number twice, not even between two writes.
 */
function numbersFor(before: readonly { readonly stage: string; readonly order: number }[]): number[] {
  const numbers = before.map(({ order }) => order);
  const isTwice = new Set(before.map(({ stage }) => stage)).size < before.length;
  if (!isTwice && new Set(numbers).size === numbers.length) return numbers;
  const base = Math.ceil(Math.max(0, ...numbers) / 10) * 10;
  return numbers.map((_, at) => base + (at + 1) * 10);
}
