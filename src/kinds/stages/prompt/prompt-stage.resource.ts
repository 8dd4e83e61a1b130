import { defineStage } from '../../../flow/stage.family.ts';
import { refs } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';

/** Asks for values and validates them with policies. */
export const promptStage = defineStage({
  path: '/stages/prompt/stages/',
  model: 'svc_stages_prompt.promptstage',
  schema: 'PromptStage',
  names: ['Prompt Stage', 'Prompt Stages'],
  component: 'xak-stage-prompt-form',
  description: 'Asks people to fill in a form.',
  table: 'stage_prompt',
  fields: {
    name: text({
      unique: 'This field must be unique.',
      filter: true,
      help: 'The name of the stage; unique.',
      isObvious: true,
    }),
    fields: refs('svc_stages_prompt.prompt', 'uuid', {
      table: 'prompt_stage_fields',
      own: 'stage',
      other: 'prompt',
      notEmpty: true,
      filter: true,
      help: 'The prompts to show, in the order of their own numbers.',
    }),
    validation_policies: refs('svc_policies.policy', 'uuid', {
      protects: true,
      table: 'policy_validations',
      own: 'stage',
      other: 'policy',
      filter: true,
      help: 'Policies that validate the answers.',
    }),
  },
});
