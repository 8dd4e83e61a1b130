import { beforeAll, describe } from 'vitest';
import type { TestServer } from '../../support/server.ts';
import { type SuiteClient, suiteClient, type Variant } from './suite-client.ts';

/** The same modules with one variant: its client is set up once, as the suite's operator would. */
export function describeVariant(
  server: () => TestServer,
  variant: Variant,
  modules: (suite: () => SuiteClient) => void,
): void {
  const { responseType, clientAuth = 'client_secret_basic', responseMode = 'default' } = variant;
  describe(`response_type=${responseType}, client_auth_type=${clientAuth}, response_mode=${responseMode}`, () => {
    let suite: SuiteClient | undefined;
    beforeAll(async () => {
      suite = await suiteClient(server(), variant);
    });
    modules(() => suite as SuiteClient);
  });
}
