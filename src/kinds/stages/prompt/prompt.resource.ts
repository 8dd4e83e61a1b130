import type { Complaints } from '../../../lib/problem.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Fields, Row } from '../../../resource/fields/field.ts';
import { flag, whole } from '../../../resource/fields/scalar.ts';
import { nestedMany } from '../../../resource/fields/shown.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { defineResource, type Resource } from '../../../resource/resource.ts';
import { previewAction } from './preview.ts';
import { promptTypes } from './prompt-types.ts';

const fields: Fields = {
  name: text({ unique: 'Prompt with this name already exists.', filter: true }),
  field_key: text({ filter: true, help: 'Under this name the answer is kept.' }),
  label: text({ filter: true }),
  type: choice(promptTypes, { filter: true }),
  required: flag({ default: true }),
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
  order: whole({ default: 0 }),
  promptstage_set: nestedMany(
    'svc_flows.stage',
    { table: 'prompt_stage_fields', own: 'prompt', other: 'stage' },
    { order: 'name' },
  ),
  sub_text: text({ blank: true, default: '' }),
  placeholder_expression: flag({ default: false }),
  initial_value_expression: flag({ default: false }),
};

/** One question of a prompt stage. */
export function promptResource({ sandbox }: { readonly sandbox: Sandbox }): Resource {
  return defineResource({
    path: '/stages/prompt/prompts/',
    param: 'prompt_uuid',
    key: 'uuid',
    model: 'svc_stages_prompt.prompt',
    schema: 'Prompt',
    names: ['Prompt', 'Prompts'],
    table: 'prompts',
    reaches: 'sign-in',
    order: ['field_key'],
    search: ['field_key', 'name', 'label', 'type', 'placeholder'],
    fields,
    check: ({ values }) => syntaxComplaints(values, sandbox),
    actions: [previewAction(fields, sandbox)],
  });
}

/** What is meant to be run must at least parse. */
export function syntaxComplaints(values: Row, sandbox: Sandbox): Complaints | null {
  const complaints: Complaints = {};
  for (const member of ['placeholder', 'initial_value']) {
    if (!values[`${member}_expression`]) continue;
    const error = sandbox.check(values[member] as string);
    if (error) complaints[member] = [`Expression Syntax Error: ${error.message} (line ${error.line})`];
  }
  return Object.keys(complaints).length > 0 ? complaints : null;
}
