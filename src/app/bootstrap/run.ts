import { sql } from 'kysely';
import { permissionsOf, syncPermissions } from '../../core/access/permissions.ts';
import type { App } from '../compose.ts';
import { systemCall } from '../system-call.ts';
import type { World } from '../world.ts';
import { access } from './access.ts';
import { administrator } from './administrator.ts';
import { brand } from './brand.ts';
import { certificates } from './certificates.ts';
import { enrollment } from './enrollment.ts';
import { defaultFlows } from './flows.ts';
import { contactMappings, mappings, syncMappings } from './mappings.ts';
import { notifications } from './notifications.ts';
import { policies } from './policies.ts';
import { recovery } from './recovery.ts';
import { samlMappings } from './saml-mappings.ts';
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
  syncMappings,
  certificates,
  notifications,
];

type Composed = Pick<App, 'engine' | 'endpoints' | 'resourceWorld'>;

/**
 * Gives a database what it needs before requests come: the permissions of this version and, once in its life, the objects of
 * a fresh install. A step that has been run is never run again.
 */
export async function bootstrap(world: World, { engine, endpoints, resourceWorld }: Composed): Promise<void> {
  const { db, clock } = world;
  await syncPermissions(db, permissionsOf(engine.registry.resources, endpoints));
  const { rows } = await sql<{ name: string }>`select name from bootstrap_steps`.execute(db.read);
  const done = new Set(rows.map(({ name }) => name));
  // What a server makes by itself at its first start is no administrator's act: it leaves no audit events.
  const silent = { ...resourceWorld, record: async () => {} };
  const pending = steps.filter(({ name }) => !done.has(name));
  // All at once: making a key takes a while, and what does not need it need not wait for it.
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
  if (pending.length > 0) await db.analyze?.();
}

/**
 * Brings back what of the objects of a fresh install has been deleted; what is there stays as it is. Answers how many objects
 * were made. Each leaves an event.
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
    // Told when its step comes, if an earlier one does not fail first.
  });
  return ready;
}
