import type { Field } from '../../resource/fields/field.ts';
import { derived } from '../../resource/fields/shown.ts';
import { stringSchema } from '../../resource/json-schema.ts';
import type { Registry } from '../../resource/registry.ts';
import { appName, modelNames } from './models.ts';

/** The members that name a permission's app and model in words; the row has both as `app_label` and `model`. */
export const verboseFields: { readonly app_label_verbose: Field; readonly model_verbose: Field } = {
  app_label_verbose: derived(stringSchema, (row) => appName(row.app_label as string)),
  model_verbose: derived(stringSchema, (row, { registry }) => modelVerbose(`${row.app_label}.${row.model}`, registry)),
};

function modelVerbose(model: string, registry: Registry): string {
  const known: Readonly<Record<string, string>> = modelNames;
  return known[model] ?? registry.find(model)?.names[0] ?? plain(model);
}

const plain = (model: string): string => {
  const name = model.split('.').at(-1) ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
};
