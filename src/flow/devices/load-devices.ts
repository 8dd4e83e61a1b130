import { type RawBuilder, sql } from 'kysely';
import type { Call } from '../../resource/call.ts';
import type { Engine } from '../../resource/read.ts';
import type { DeviceResources } from './device.family.ts';
import type { Device } from './device-kind.ts';

/** Confirmed devices of one kind, secrets in clear. For flows only: nobody's permissions are asked. */
export async function loadDevices(
  { engine, call }: { readonly engine: Engine; readonly call: Call },
  { own }: DeviceResources,
  condition: RawBuilder<unknown>,
): Promise<Device[]> {
  const plan = engine.plan(own, call);
  const row = own.row();
  const { rows } = await sql<Record<string, unknown>>`select ${plan.list} from ${own.from()}
    where ${row.col('confirmed')} and ${condition} order by ${row.col('pk')}`.execute(call.db.read);
  const context = { world: call.world, call, registry: engine.registry };
  return rows.map((raw) => ({ ...plan.load(raw, context), pk: raw.pk as number }) as Device);
}

/** The user's confirmed devices of one kind. */
export const devicesOf = (
  ground: { readonly engine: Engine; readonly call: Call },
  resources: DeviceResources,
  user: number,
): Promise<Device[]> => loadDevices(ground, resources, sql`${resources.own.row().col('user')} = ${user}`);
