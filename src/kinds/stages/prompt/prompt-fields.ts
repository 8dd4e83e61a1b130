import { nestedMany } from '../../../resource/fields/computed.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { promptTypes } from './prompt-types.ts';

export const promptFields = {
  name: text({
    unique: 'Prompt with this name already exists.',
    filter: true,
    help: 'The name for administrators; unique.',
  }),
  field_key: text({ filter: true, help: 'The name under which the answer is stored.' }),
  label: text({ filter: true, help: 'The label of the input.', isObvious: true }),
  type: choice(promptTypes, {
    filter: true,
    labels: { 'date-time': 'Date and time', static: 'Fixed text', 'xak-locale': 'Language' },
    help: 'The type of the input, and how it is validated.',
  }),
  required: boolean({ default: true, help: 'Whether an answer is required.', isObvious: true }),
  placeholder: text({
    blank: true,
    default: '',
    filter: true,
    help: 'A hint about what to enter. As an expression of a choice field it returns the list of choices.',
  }),
  initial_value: text({
    blank: true,
    default: '',
    help: 'The initial value. As an expression of a choice field it returns the initial choice.',
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
