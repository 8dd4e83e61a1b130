import type { Registry, Resource } from './resource.ts';

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
