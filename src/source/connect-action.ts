import { longLivedCredentials } from '../resource/access/credentials.ts';
import type { Fields, Row } from '../resource/fields/field.ts';
import { type KeyType, ref } from '../resource/fields/ref.ts';
import type { Action } from '../resource/resource.ts';
import { diffOf, recordWrite } from '../resource/write/audit.ts';
import { insertRow, showByKey } from '../resource/write/write-row.ts';
import { checkMayLink, type LinkedObject } from './link-rights.ts';

interface Facts {
  /** The kind of connection, and of the source that is linked to. */
  readonly model: string;
  readonly schema: string;
  readonly sourceModel: string;
  readonly to: { readonly column: 'user' | 'group'; readonly model: LinkedObject['model']; readonly keyType: KeyType };
  /** Further members of the connection. */
  readonly fields: Fields;
}

/** Links manually. The body contains both ends, which cannot be changed later. */
export function connectAction({ model, schema, sourceModel, to, fields }: Facts): Action {
  const [app = '', modelName = ''] = model.split('.');
  return {
    name: '',
    operation: 'create',
    on: 'set',
    method: 'POST',
    page: { button: 'Link by hand' },
    summary: `Link a ${to.column} to a source`,
    access: { permission: `${app}.add_${modelName}` },
    credentials: longLivedCredentials,
    recentAuthentication: true,
    body: {
      ...fields,
      [to.column]: ref(to.model, to.keyType, { help: `The ${to.column} here.`, isObvious: true }),
      source: ref(sourceModel, 'uuid', { help: 'The source of the connection.' }),
    },
    bodySchema: `${schema}CreateRequest`,
    answer: { status: 201, schema: 'self' },
    async run({ tx, call, engine, registry, values }) {
      const resource = registry.require(model);
      const linked = { model: to.model, pk: values[to.column] };
      await checkMayLink(linked, { model: sourceModel, pk: values.source }, call, registry, tx);
      const row: Row = { ...values, created: call.now, ...('kind' in resource.fields && { kind: model }) };
      const pk = await insertRow(resource, row, call, tx);
      await recordWrite('model_created', { resource, pk, values: row, diff: diffOf(resource, null, row), call, tx });
      return showByKey({ engine, resource, call, tx }, pk);
    },
  };
}
