import { ask, defineStageKind, next } from '../../../flow/executor/stage-kind.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { boolean } from '../../../resource/fields/scalar.ts';

const dummyStage = defineStage({
  path: '/stages/dummy/',
  model: 'svc_stages_dummy.dummystage',
  schema: 'DummyStage',
  names: ['Dummy Stage', 'Dummy Stages'],
  component: 'xak-stage-dummy-form',
  description: 'Shows its name and waits for a click: for trying out how a flow is put together.',
  table: 'stage_dummy',
  fields: {
    throw_error: boolean({
      default: false,
      filter: true,
      help: 'Fail on purpose, to see what a broken stage looks like.',
    }),
  },
});

/** Asks nothing. It can throw on request, to show what a failing stage looks like. */
export const dummy = defineStageKind({
  resource: dummyStage,
  component: 'xak-stage-dummy',
  allowsImpersonation: true,
  challenge: { name: stringSchema },
  answer: {},
  async show({ settings }) {
    if (settings.throw_error) throw new Error('this dummy stage throws because throw_error is set');
    return ask({ name: settings.name });
  },
  verifyRegistration: async () => next(),
});
