import { defaultOutpostConfig } from '../../provider/outpost/outpost-config.ts';
import { outpostModel } from '../../provider/outpost/outpost-model.ts';
import { embeddedOutpost } from '../../provider/outpost/served-here.ts';
import type { BootstrapStep } from './steps.ts';

/** The outpost that is this server itself. */
export const outposts: BootstrapStep = {
  name: 'outposts',
  async run({ ensure, world }) {
    await ensure(
      outpostModel,
      { managed: embeddedOutpost },
      {
        name: 'Gatehouse Embedded Outpost',
        type: 'proxy',
        providers: [],
        config: defaultOutpostConfig(world.config.publicUrl),
      },
    );
  },
};
