import { decodeProtectedHeader } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from './movable-clock.ts';
import { prepare } from './person.ts';
import { codeModules, requestModules } from './request-modules.ts';
import { requestObjectModules } from './request-object-modules.ts';
import { responseModules } from './response-modules.ts';
import { describeVariant } from './run-variant.ts';
import { type SuiteClient, suiteClient } from './suite-client.ts';

const clock = movableClock();
const responseType = 'code';
const settings = { include_claims_in_id_token: false };

describeOnSqlite(
  'Basic OP',
  (server) => {
    let other: SuiteClient | undefined;
    beforeAll(async () => {
      await prepare(server());
      other = await suiteClient(server(), { responseType });
    });

    describeVariant(server, { responseType, settings }, (suite) => {
      responseModules(responseType, suite);
      requestModules(suite, clock);
      requestObjectModules(suite);
      codeModules(suite, clock, () => other as SuiteClient);

      test('oidcc-idtoken-unsigned: not promised, and never given', async () => {
        const { metadata, complete } = suite();
        expect(metadata.id_token_signing_alg_values_supported).toEqual(['RS256']);
        expect(decodeProtectedHeader((await complete()).idToken).alg).toBe('RS256');
      });
    });

    describeVariant(server, { responseType, settings, clientAuth: 'client_secret_post' }, (suite) => {
      test('oidcc-server-client-secret-post: the secret will do in the form', async () => {
        await suite().complete();
      });
    });
  },
  { clock },
);
