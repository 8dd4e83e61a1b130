import { expect, test } from 'vitest';
import { catalogue } from '../../src/app/catalogue.ts';
import { ask, defineStageKind, next } from '../../src/flow/executor/stage-kind.ts';
import { defineStage } from '../../src/flow/stage.family.ts';
import { Problem } from '../../src/lib/problem.ts';
import { createTable } from '../../src/platform/db/table.ts';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

let isBusy = false;
const component = 'xak-stage-busy';

/** A stage that finds the server busy at times. */
const busy = defineStageKind({
  resource: defineStage({
    path: '/stages/busy/',
    model: 'svc_stages_busy.busystage',
    schema: 'BusyStage',
    names: ['Busy Stage', 'Busy Stages'],
    component: 'xak-stage-busy-form',
    description: 'Is busy at times.',
    table: 'stage_busy',
    fields: {},
  }),
  component,
  challenge: {},
  answer: {},
  async show() {
    if (isBusy) throw new Problem('unavailable');
    return ask();
  },
  verifyRegistration: async () => next(),
});

describeOnBoth(
  'a server that is busy during a walk',
  (server) => {
    const flow = () =>
      makeWalk(
        server(),
        [
          ['identification', { user_fields: ['username'] }],
          ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
          ['busy'],
          ['user_login'],
        ],
        { designation: 'authentication' },
      );

    test('right after a proof, keeps the walk for the browser that gave it', async () => {
      const { slug } = await flow();
      const { username } = await personWithPassword(server());
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: username });
      isBusy = true;
      expect((await browser.answer(slug, { password })).body.component).toBe('xak-stage-flow-error');
      expect((await browser.show(slug)).status).toBe(503);
      isBusy = false;
      expect((await browser.show(slug)).body.component).toBe(component);
      await browser.answer(slug, { component });
      expect(await isSignedIn(browser)).toBe(true);
    });
  },
  {
    extra: {
      kinds: { ...catalogue, stages: [...catalogue.stages, busy] },
      migration: {
        name: '9999-busy',
        statements: (dialect) => createTable(dialect, 'stage_busy', { pk: 'uuid key -> stages cascade' }),
      },
    },
  },
);
