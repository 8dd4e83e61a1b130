import type { Resource } from './resource.ts';

/** Every resource there is, found by the model it stands for. */
export interface Registry {
  /** All of them, second doors too. */
  readonly resources: readonly Resource[];
  find(model: string): Resource | undefined;
  require(model: string): Resource;
  /** The kinds of a family, by the family's model. */
  kinds(familyModel: string): readonly Resource[];
}

export function createRegistry(resources: readonly Resource[]): Registry {
  const byModel = new Map<string, Resource>();
  const first = resources.filter(({ isAlternate }) => !isAlternate);
  for (const resource of first) {
    if (byModel.has(resource.model)) throw new Error(`two resources stand for ${resource.model}`);
    byModel.set(resource.model, resource);
  }
  const byFamily = Map.groupBy(first, ({ family }) => family?.model);
  return {
    resources,
    find: (model) => byModel.get(model),
    require(model) {
      const resource = byModel.get(model);
      if (!resource) throw new Error(`no resource stands for ${model}`);
      return resource;
    },
    kinds: (familyModel) => byFamily.get(familyModel) ?? [],
  };
}
