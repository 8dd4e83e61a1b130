import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { EndpointInput } from '../../resource/endpoint.ts';
import { selectOne } from '../../resource/read/read.ts';
import { destroyRow, updateRow } from '../../resource/write/write-row.ts';

/** Changes of stored objects, under the rules of requests. */
export interface Writes {
  remove(model: string, pk: string): Promise<void>;
  change(model: string, pk: string, values: Record<string, unknown>): Promise<void>;
}

export type SwitchInput = Pick<EndpointInput, 'call' | 'engine'> & { readonly tx: Query };

export function createWrites({ engine, call, tx }: SwitchInput): Writes {
  const found = async (model: string, pk: string) => {
    const resource = engine.registry.require(model);
    const row = await selectOne({ engine, resource, call, tx }, [sql`${resource.row().col('pk')} = ${pk}`]);
    if (!row) throw new Error(`${model} ${pk} is gone`);
    return { context: { engine, resource, call, tx }, current: row.values };
  };
  return {
    async remove(model, pk) {
      const { context, current } = await found(model, pk);
      await destroyRow(context, pk, current);
    },
    async change(model, pk, values) {
      const { context, current } = await found(model, pk);
      await updateRow(context, pk, current, values, 'patch');
    },
  };
}

/** The first of so many free places in a flow, right before `place`: that and what follows moves on if need be. */
export async function makeRoom(
  tx: Query,
  { flow, place, count }: { readonly flow: string; readonly place: number; readonly count: number },
  { change }: Pick<Writes, 'change'>,
): Promise<number> {
  const first = place - count;
  const { rows } = await sql<{ pk: string; order: number }>`select pk, "order" from flow_stage_bindings
    where target = ${flow} and "order" >= ${first} order by "order" desc`.execute(tx);
  if (first >= 0 && !rows.some(({ order }) => order < place)) return first;
  for (const later of rows.filter(({ order }) => order >= place))
    await change('svc_flows.flowstagebinding', later.pk, { order: later.order + count });
  return place;
}
