import { trustedAttributeNames } from '../../../core/directory/trusted-attributes.ts';
import { nestPromptData } from '../../../flow/prompt-data.ts';
import { asObject } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { defineResource } from '../../../resource/define.ts';
import type { ValuesOf } from '../../../resource/fields/field.ts';
import type { Resource } from '../../../resource/resource.ts';
import { previewAction } from './preview.ts';
import { promptFields } from './prompt-fields.ts';

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
    fields: promptFields,
    check: ({ values, current }) =>
      values.field_key === current?.field_key
        ? syntaxComplaints(values, sandbox)
        : { ...vouchingComplaint(values), ...syntaxComplaints(values, sandbox) },
    actions: [previewAction(promptFields, sandbox)],
  });
}

/** The user write stage ignores such attributes from forms. */
function vouchingComplaint({ field_key }: Pick<ValuesOf<typeof promptFields>, 'field_key'>): Complaints | null {
  const [name] = trustedAttributeNames(asObject(nestPromptData({ [field_key]: true }).attributes));
  if (name === undefined) return null;
  return { field_key: [`The attribute ${name} vouches for the user, so no prompt can set it.`] };
}

/** Expressions must at least parse. */
function syntaxComplaints(values: ValuesOf<typeof promptFields>, sandbox: Sandbox): Complaints | null {
  const complaints: Complaints = {};
  for (const member of ['placeholder', 'initial_value'] as const) {
    if (!values[`${member}_expression`]) continue;
    const error = sandbox.check(values[member]);
    if (error) complaints[member] = [`Expression Syntax Error: ${error.message} (line ${error.line})`];
  }
  return Object.keys(complaints).length > 0 ? complaints : null;
}
