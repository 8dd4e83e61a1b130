import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from './movable-clock.ts';
import { prepare } from './person.ts';
import { requestModules } from './request-modules.ts';
import { requestObjectModules } from './request-object-modules.ts';
import { responseModules } from './response-modules.ts';
import { describeVariant } from './run-variant.ts';
import { suiteClient } from './suite-client.ts';

const clock = movableClock();
// Implicit response types are off unless an administrator names them.
const settings = { include_claims_in_id_token: false, grant_types: ['implicit'] };

describeOnSqlite(
  'Implicit OP',
  (server) => {
    beforeAll(() => prepare(server()));

    for (const responseType of ['id_token', 'id_token token']) {
      describeVariant(server, { responseType, settings }, (suite) => {
        responseModules(responseType, suite);
        requestModules(suite, clock);
        requestObjectModules(suite);
      });
    }

    test('not one of the profile’s: a client that was not set up for it gets no tokens from the browser', async () => {
      for (const responseType of ['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token']) {
        const { ask } = await suiteClient(server(), { responseType });
        const { told } = await ask();
        expect([told.get('error'), told.has('id_token'), told.has('access_token')]).toEqual([
          'unauthorized_client',
          false,
          false,
        ]);
      }
    });
  },
  { clock },
);
