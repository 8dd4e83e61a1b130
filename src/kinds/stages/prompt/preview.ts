import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { type Call, requireActor } from '../../../resource/call.ts';
import { defineAction } from '../../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
} from '../../../resource/document/json-schema.ts';
import type { PromptFields } from './prompt-fields.ts';
import { promptTypes } from './prompt-types.ts';
import { showPrompt } from './show-prompt.ts';

export const promptSchema = objectSchema({
  field_key: stringSchema,
  label: stringSchema,
  type: { type: 'string', enum: promptTypes },
  required: booleanSchema,
  placeholder: stringSchema,
  initial_value: stringSchema,
  order: integerSchema,
  sub_text: stringSchema,
  choices: orNull(arrayOf(stringSchema)),
});

const challengeSchema: JsonSchema = objectSchema({ component: stringSchema, fields: arrayOf(promptSchema) });

/** Shows authors how their prompt would look. It runs their expressions, so reading permissions are not enough. */
export function previewAction(fields: PromptFields, sandbox: Sandbox) {
  return defineAction({
    name: 'preview',
    on: 'set',
    method: 'POST',
    page: { button: 'Preview a prompt' },
    summary: 'Preview a prompt as a challenge, just like a flow would receive it',
    access: { permission: 'svc_stages_prompt.add_prompt' },
    body: fields,
    bodySchema: 'PromptRequest',
    answer: { status: 200, schema: challengeSchema, schemaName: 'PromptPreview' },
    async prepare({ call, values }) {
      const user = await loadUserFacts(call.db.read, requireActor(call).user.pk);
      const preview = showPrompt(values, { sandbox, user, http: httpFacts(call), promptContext: {} });
      return { component: 'xak-stage-prompt', fields: [preview] };
    },
    run: async ({ prepared }) => prepared,
  });
}

function httpFacts({ request }: Call): Record<string, string> {
  const { method, path, host, userAgent, clientIp, id } = request;
  return { method, path, host, user_agent: userAgent, client_ip: clientIp, request_id: id };
}
