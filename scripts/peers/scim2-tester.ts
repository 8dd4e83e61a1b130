import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstStart, processToken, startServerProcess } from '../../test/support/gatehouse-process.ts';
import { failureOf, installPython, type Peer, pythonPrograms } from './peer.ts';

const check = fileURLToPath(new URL('check-scim.py', import.meta.url));
const packages = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2'];

/** The conformance checks of scim2-tester (PyPI) against a SCIM source. */
export const scim2Tester: Peer = {
  name: 'scim2-tester',
  prepare: (folder) => installPython(folder, 'scim2-tester', packages),
  async run(folder) {
    const server = await startServerProcess({
      ...firstStart,
      GATEHOUSE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      GATEHOUSE_LOG_LEVEL: 'info',
    });
    try {
      const api = server.as(processToken);
      const { body: source } = await api.post('/sources/scim/', { name: 'scim2-tester', slug: 'scim2-tester' });
      const { body: token } = await api.get(`/core/tokens/${source.token_obj.identifier}/view_key/`);
      const env = { SCIM_URL: `${server.url}/source/scim/scim2-tester/v2`, SCIM_TOKEN: token.key };
      return (await failureOf(join(pythonPrograms(folder, 'scim2-tester'), 'python'), [check], env)) === null;
    } finally {
      await server.stop();
    }
  },
};
