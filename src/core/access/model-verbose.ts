import { capitalized } from '../../lib/spell-out.ts';
import { stringSchema } from '../../resource/document/json-schema.ts';
import type { ModelNames, ReadContext } from '../../resource/fields/field.ts';
import { appName, modelNames } from './models.ts';

/** The display names of a permission's app and model; the row has both as `app_label` and `model`. */
export const verboseMembers = {
  app_label_verbose: { schema: stringSchema, from: (row: Named) => appName(row.app_label) },
  model_verbose: {
    schema: stringSchema,
    from: (row: Named, { registry }: ReadContext) => modelVerbose(`${row.app_label}.${row.model}`, registry),
  },
};

interface Named {
  readonly app_label: string;
  readonly model: string;
}

function modelVerbose(model: string, registry: ModelNames): string {
  const names: Readonly<Record<string, string>> = modelNames;
  if (model === 'svc_rbac.systempermission') return 'System';
  return names[model] ?? registry.find(model)?.names[0] ?? plain(model);
}

const plain = (model: string): string => capitalized(model.split('.').at(-1) ?? '');
