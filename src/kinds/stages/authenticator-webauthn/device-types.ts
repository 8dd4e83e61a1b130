import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import { unknownDevices } from './device-type.resource.ts';

export interface DeviceType {
  readonly aaguid: string;
  readonly description: string;
}

/** The device type with this AAGUID; null if it is not in our list. */
export async function findDeviceType(query: Query, aaguid: string): Promise<DeviceType | null> {
  const { rows } = await sql<DeviceType>`select pk as aaguid, description from webauthn_device_types
    where pk = ${aaguid}`.execute(query);
  return rows[0] ?? null;
}

/** Whether devices of this type are allowed under a restriction. Unlisted types count as unknown devices. */
export function isAllowedType(allowed: readonly string[], type: { readonly aaguid: string } | null): boolean {
  return allowed.length === 0 || allowed.includes(type?.aaguid ?? unknownDevices);
}
