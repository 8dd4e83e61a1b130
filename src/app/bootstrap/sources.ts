import { builtInSource } from '../../source/sources.resource.ts';
import type { BootstrapStep } from './steps.ts';

/** The built-in source, which represents Gatehouse's own users. */
export const sources: BootstrapStep = {
  name: 'sources',
  async run({ ensure }) {
    const identity = { slug: 'gatehouse-built-in' };
    await ensure('svc_core.source', identity, { name: 'Gatehouse Built-in' }, { managed: builtInSource });
  },
};
