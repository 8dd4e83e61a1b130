import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { nestedMany } from '../../../resource/fields/shown.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { promptTypes } from './prompt-types.ts';

export const promptFields = {
  name: text({
    unique: 'Prompt with this name already exists.',
    filter: true,
    help: 'What administrators call the prompt; unique.',
  }),
  field_key: text({ filter: true, help: 'Under this name the answer is kept.' }),
  label: text({ filter: true, help: 'What stands beside the input.' }),
  type: choice(promptTypes, { filter: true, help: 'What is asked for, and how it is checked.' }),
  required: boolean({ default: true, help: 'Whether an answer has to be given.' }),
  placeholder: text({
    blank: true,
    default: '',
    filter: true,
    help: 'A hint about what to enter. As an expression of a choice field it returns the list of choices.',
  }),
  initial_value: text({
    blank: true,
    default: '',
    help: 'What the field holds at first. As an expression of a choice field it returns what is chosen at first.',
  }),
  order: integer({ default: 0, help: 'Prompts come from the lowest number up.' }),
  promptstage_set: nestedMany(
    'svc_flows.stage',
    { table: 'prompt_stage_fields', own: 'prompt', other: 'stage' },
    { order: 'name' },
  ),
  sub_text: text({ blank: true, default: '', help: 'A hint below the input.' }),
  placeholder_expression: boolean({
    default: false,
    help: 'Read the placeholder as an expression, which may return a list of choices.',
  }),
  initial_value_expression: boolean({ default: false, help: 'Read the initial value as an expression.' }),
};

export type PromptFields = typeof promptFields;
