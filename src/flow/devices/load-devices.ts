import { type RawBuilder, sql } from 'kysely';
import type { Call } from '../../resource/call.ts';
import { type Row, readContext } from '../../resource/fields/field.ts';
import type { Engine } from '../../resource/resource.ts';
import type { DeviceResources } from './device.family.ts';

/** Confirmed devices of one kind, secrets decrypted. For flows only: checks no permissions. */
export async function loadDevices<D extends Row>(
  { engine, call }: { readonly engine: Engine; readonly call: Call },
  { own }: DeviceResources<D>,
  condition: RawBuilder<unknown>,
): Promise<D[]> {
  const plan = engine.plan(own, call);
  const row = own.row();
  const { rows } = await sql<Record<string, unknown>>`select ${plan.list} from ${own.from()}
    where ${row.col('confirmed')} and ${condition} order by ${row.col('pk')}`.execute(call.db.read);
  const context = readContext(call, engine.registry);
  return rows.map((raw) => plan.load(raw, context));
}

/** The user's confirmed devices of one kind. */
export const devicesOf = <D extends Row>(
  ground: { readonly engine: Engine; readonly call: Call },
  resources: DeviceResources<D>,
  user: number,
): Promise<D[]> => loadDevices(ground, resources, sql`${resources.own.row().col('user')} = ${user}`);
