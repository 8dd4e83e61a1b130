import { afterAll, describe, expect, test } from 'vitest';
import { identityHeaders } from '../../src/kinds/providers/proxy/header-names.ts';
import { identityHeaders as configuredHeaders } from '../../web/admin/applications/forward-auth/setup.ts';
import { checkProtection, modes } from '../support/check-protection.ts';
import { describeJourney } from '../support/journey.ts';
import { findProtecting, protectingKinds } from '../support/protecting-proxy.ts';
import { openPublicPort } from '../support/public-port.ts';
import { startUpstreamApp } from '../support/upstream-app.ts';

const front = await openPublicPort();
const upstream = await startUpstreamApp();
afterAll(() => Promise.all([front.close(), upstream.close()]));

const env = { GATEHOUSE_PUBLIC_URL: front.url, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' };

test('configurations name every header of the checks', () => {
  expect(configuredHeaders).toEqual(identityHeaders);
});

for (const kind of protectingKinds) {
  const isThere = await findProtecting(kind);
  describe.skipIf(!isThere)(kind.name, () => {
    describeJourney(
      'with the configuration that the administration shows',
      (journey) => {
        test.for(modes)('protects an application in the mode %s', async (mode) => {
          const { server, window } = journey();
          front.leadsTo(server.url);
          const opened = { window: () => window({ baseURL: front.url }) };
          await checkProtection({ server, upstream, ...opened }, kind, mode);
        });
      },
      { env },
    );
  });
}
