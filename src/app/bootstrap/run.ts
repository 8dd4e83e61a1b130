import { sql } from 'kysely';
import { permissionsOf, syncPermissions } from '../../core/access/permissions.ts';
import { growingTables } from '../../core/cleanup/growing-tables.ts';
import type { App } from '../compose.ts';
import { systemCall } from '../system-call.ts';
import type { World } from '../world.ts';
import { access } from './access.ts';
import { administrator } from './administrator.ts';
import { brand } from './brand.ts';
import { certificates } from './certificates.ts';
import { enrollment } from './enrollment.ts';
import { defaultFlows } from './flows.ts';
import { ldapMappings } from './ldap-mappings.ts';
import { cloudNicknames, contactMappings, mappings, scopeDescriptions, syncMappings } from './mappings.ts';
import { accessRequestNotifications, notifications } from './notifications.ts';
import { outposts } from './outposts.ts';
import { policies } from './policies.ts';
import { recovery } from './recovery.ts';
import { samlMappings, samlOidMappings } from './saml-mappings.ts';
import { sources } from './sources.ts';
import { type BootstrapStep, createMake } from './steps.ts';
import { webauthnDeviceTypes } from './webauthn-device-types.ts';

/** In order; later steps may find what earlier ones made. */
const steps: readonly BootstrapStep[] = [
  administrator,
  access,
  webauthnDeviceTypes,
  defaultFlows,
  policies,
  recovery,
  enrollment,
  brand,
  sources,
  mappings,
  contactMappings,
  samlMappings,
  samlOidMappings,
  syncMappings,
  ldapMappings,
  cloudNicknames,
  scopeDescriptions,
  certificates,
  notifications,
  accessRequestNotifications,
  outposts,
];

type Composed = Pick<App, 'engine' | 'endpoints' | 'resourceWorld'>;

/**
 * Prepares a database before the first request: the permissions of this version and, once per database, the objects of
 * a fresh install. Each step runs once.
 */
export async function bootstrap(world: World, { engine, endpoints, resourceWorld }: Composed): Promise<void> {
  const { db, clock } = world;
  await syncPermissions(db, permissionsOf(engine.registry.resources, endpoints));
  const { rows } = await sql<{ name: string }>`select name from bootstrap_steps`.execute(db.read);
  const done = new Set(rows.map(({ name }) => name));
  // No audit events: there is no actor.
  const silent = { ...resourceWorld, record: async () => {} };
  const pending = steps.filter(({ name }) => !done.has(name));
  // In parallel: generating a key takes a while.
  const preparations = pending.map((step) => ({ step, ready: startPreparing(step, world) }));
  for (const { step, ready } of preparations) {
    const prepared = await ready;
    await db.write(async (tx) => {
      const claimed = await sql`insert into bootstrap_steps (name, applied) values (${step.name}, ${clock.now()})
        on conflict do nothing returning name`.execute(tx);
      if (claimed.rows.length === 0) return;
      await step.run(createMake(tx, world, engine, systemCall(db, silent, clock.now())), prepared);
    });
  }
  if (pending.length > 0) await db.analyze?.(growingTables);
}

/**
 * Restores deleted objects of a fresh install; existing ones stay as they are. Returns how many objects were created.
 * Each is recorded as an event.
 */
export async function restoreDefaults(world: World, { engine, resourceWorld }: Composed): Promise<number> {
  const { db, clock } = world;
  let made = 0;
  const counting = {
    ...resourceWorld,
    record: async (...event: Parameters<typeof resourceWorld.record>) => {
      made += 1;
      await resourceWorld.record(...event);
    },
  };
  for (const step of steps.filter(({ isOnce }) => !isOnce)) {
    const prepared = await step.prepare?.(world);
    await db.write((tx) => step.run(createMake(tx, world, engine, systemCall(db, counting, clock.now())), prepared));
  }
  return made;
}

function startPreparing(step: BootstrapStep, world: World): Promise<unknown> {
  const ready = step.prepare?.(world) ?? Promise.resolve();
  ready.catch(() => {
    // Reported when its step comes, unless an earlier one fails.
  });
  return ready;
}
