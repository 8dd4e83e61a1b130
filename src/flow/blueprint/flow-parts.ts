import type { Field } from '../../resource/fields/field.ts';
import type { RefField } from '../../resource/fields/ref.ts';
import type { Registry, Resource } from '../../resource/resource.ts';
import { flowModel, stageBindingModel } from '../models.ts';

export const policyBindingModel = 'svc_policies.policybinding';
const promptModel = 'svc_stages_prompt.prompt';
const families = ['svc_flows.stage', 'svc_policies.policy'];

/** The resources that make up a flow. Blueprints contain no others. */
export interface FlowParts {
  /** Finds a kind's resource by model; undefined if it cannot be part of a flow. */
  find(model: string): Resource | undefined;
  /** Whether the referenced objects are part of the flow, as stages, prompts and policies are. */
  isPart(reference: RefField): boolean;
}

export function flowParts(registry: Registry): FlowParts {
  const kinds = families.flatMap((family) => registry.kinds(family));
  const single = [promptModel, flowModel, stageBindingModel, policyBindingModel].flatMap((model) => {
    const resource = registry.find(model);
    return resource ? [resource] : [];
  });
  const byModel = new Map([...kinds, ...single].map((resource) => [resource.model, resource]));
  const owned = new Set([...families, promptModel, ...kinds.map(({ model }) => model)]);
  return { find: (model) => byModel.get(model), isPart: ({ model }) => owned.has(model) };
}

const apart: Readonly<Record<string, readonly string[]>> = {
  [stageBindingModel]: ['target', 'stage', 'order'],
  [policyBindingModel]: ['target', 'order', 'policy', 'group', 'user'],
};

/** The members that identify an object on any server, independent of its key; null when only the key does. */
export function identifyingMembers({ model, lookup, allFields }: Resource): readonly string[] | null {
  if (apart[model]) return apart[model];
  const name = [lookup, 'name', 'username'].find((member) => member !== 'pk' && isStored(allFields[member]));
  return name === undefined ? null : [name];
}

const isStored = (field: Field | undefined): boolean => field?.storage.in === 'column';
