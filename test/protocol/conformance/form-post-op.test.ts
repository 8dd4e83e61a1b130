import { beforeAll } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from './movable-clock.ts';
import { prepare } from './person.ts';
import { codeModules, requestModules } from './request-modules.ts';
import { responseModules } from './response-modules.ts';
import { describeVariant } from './run-variant.ts';
import { type SuiteClient, suiteClient } from './suite-client.ts';

const clock = movableClock();
const settings = {
  include_claims_in_id_token: false,
  grant_types: ['authorization_code', 'hybrid', 'implicit', 'refresh_token'],
};

describeOnSqlite(
  'Form Post OP',
  (server) => {
    let other: SuiteClient | undefined;
    beforeAll(async () => {
      await prepare(server());
      other = await suiteClient(server(), { responseType: 'code' });
    });

    const responseMode = 'form_post';
    describeVariant(server, { responseType: 'code', responseMode, settings }, (suite) => {
      responseModules('code', suite);
      requestModules(suite, clock);
      codeModules(suite, clock, () => other as SuiteClient);
    });

    for (const responseType of ['code id_token token', 'id_token token']) {
      describeVariant(server, { responseType, responseMode, settings }, (suite) =>
        responseModules(responseType, suite),
      );
    }
  },
  { clock },
);
