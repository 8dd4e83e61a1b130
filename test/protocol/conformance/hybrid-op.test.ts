import { beforeAll, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from './movable-clock.ts';
import { prepare } from './person.ts';
import { codeModules, requestModules } from './request-modules.ts';
import { requestObjectModules } from './request-object-modules.ts';
import { responseModules } from './response-modules.ts';
import { describeVariant } from './run-variant.ts';
import { type SuiteClient, suiteClient } from './suite-client.ts';

const clock = movableClock();
// Hybrid response types are off unless an administrator names them.
const settings = {
  include_claims_in_id_token: false,
  grant_types: ['authorization_code', 'hybrid', 'refresh_token'],
};

describeOnSqlite(
  'Hybrid OP',
  (server) => {
    let other: SuiteClient | undefined;
    beforeAll(async () => {
      await prepare(server());
      other = await suiteClient(server(), { responseType: 'code', settings });
    });

    for (const responseType of ['code id_token', 'code token', 'code id_token token']) {
      describeVariant(server, { responseType, settings }, (suite) => {
        responseModules(responseType, suite);
        requestModules(suite, clock);
        requestObjectModules(suite);
        codeModules(suite, clock, () => other as SuiteClient);
      });

      describeVariant(server, { responseType, settings, clientAuth: 'client_secret_post' }, (suite) => {
        test('oidcc-server-client-secret-post: the secret will do in the form', async () => {
          await suite().complete();
        });
      });
    }
  },
  { clock },
);
