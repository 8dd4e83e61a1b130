import { createLog } from '../../platform/log.ts';
import { restoreDefaults } from '../bootstrap/run.ts';
import { composeApp } from '../compose.ts';
import { openWorld } from '../world.ts';
import type { Command } from './command.ts';

export const restoreDefaultObjects: Command = {
  name: 'restore-defaults',
  summary: 'Bring back flows, stages, policies and other objects of a fresh install that were deleted.',
  details:
    'What is there stays as it is, changed or not. Users and passwords are left alone. Works while the server runs.',
  options: {},
  async run({ config }) {
    const world = await openWorld(config, createLog({ level: 'error', stream: process.stderr }), { beside: true });
    try {
      const app = await composeApp(world);
      const made = await restoreDefaults(world, app);
      await app.server.close();
      process.stdout.write(made === 0 ? 'Nothing was missing.\n' : `${made} objects were missing and are back.\n`);
      return 0;
    } finally {
      await world.close();
    }
  },
};
