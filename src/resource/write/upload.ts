import type { Call } from '../call.ts';
import type { JsonSchema } from '../document/json-schema.ts';
import type { Body } from '../document/operation.ts';

const file = {
  type: 'string',
  format: 'binary',
  description: 'The file to upload.',
  'x-field': { kind: 'file', label: 'File' },
} as const;

const uploadSchema = {
  type: 'object',
  properties: {
    file,
    clear: {
      type: 'boolean',
      default: false,
      'x-field': { kind: 'flag', label: 'Clear', help: 'Remove what is stored instead.' },
    },
  },
} as const;

/** The body of an upload without further members. */
export const plainUpload: Body = { schema: { name: 'FileUploadRequest', schema: uploadSchema }, upload: true };

/** An action's members together with its file. */
export const withFile = (members: JsonSchema): JsonSchema => ({
  ...members,
  properties: { ...members.properties, file },
  required: [...(members.required ?? []), 'file'],
});

/** The call of an upload with its parts read once: the body holds the parts other than the file. */
export async function readOnce(call: Call): Promise<Call> {
  const upload = await call.upload();
  return { ...call, body: () => upload?.fields ?? {}, upload: async () => upload };
}
