import { nameIdFormats } from '../../../lib/saml/names.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { previewAnswer, previewedUser, previewQuery } from '../../../provider/previewed-user.ts';
import { actionOn } from '../../../resource/define.ts';
import { mapUser } from './attributes.ts';
import { nameIdOf } from './name-id.ts';
import { loadMappings } from './service-provider.ts';

export interface PreviewNeeds {
  readonly installId: string;
  readonly sandbox: Sandbox;
}

interface PreviewedProvider {
  readonly pk: number;
  readonly name: string;
  readonly name_id_mapping: string | null;
}

/** Shows what an assertion would say of a user. */
export const previewUserAction = ({ sandbox, installId }: PreviewNeeds) =>
  actionOn<PreviewedProvider>()({
    name: 'preview_user',
    on: 'row',
    method: 'GET',
    page: { button: 'Preview for a user' },
    summary: 'Show the attributes that the service provider would get about a user',
    access: 'visible',
    query: previewQuery,
    answer: previewAnswer,
    async run(input) {
      const { row, call } = input;
      const user = await previewedUser(input);
      const mapped = mapUser(sandbox, { ...row, ...(await loadMappings(call.db.read, row)) }, user);
      const needs = { installId, transient: () => '' };
      return {
        preview: {
          attributes: mapped.attributes.map(({ name, friendlyName, values }) => ({
            Name: name,
            ...(friendlyName !== null && { FriendlyName: friendlyName }),
            Value: values,
          })),
          nameID: mapped.nameId ?? nameIdOf(nameIdFormats.unspecified, user, needs).value,
          ...(mapped.failures.length > 0 && {
            failures: mapped.failures.map(({ mapping, failure }) => ({ mapping, message: failure.message })),
          }),
        },
      };
    },
  });
