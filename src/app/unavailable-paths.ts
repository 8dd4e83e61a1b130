import { assignableModels } from '../core/access/models.ts';
import { Problem } from '../lib/problem.ts';
import { anyMethod, type Routes } from '../platform/http/routes.ts';
import type { Registry } from '../resource/resource.ts';

/** The path that objects of a model will have; null if its name does not say. */
function pathOf(model: string): string | null {
  const [, family, kind, what = ''] = /^svc_(providers|sources)_(\w+)\.(\w+)$/.exec(model) ?? [];
  if (!family || !kind) return null;
  if (what.endsWith('mapping')) return `/propertymappings/${family.slice(0, -1)}/${kind}/`;
  return what.endsWith(family.slice(0, -1)) ? `/${family}/${kind}/` : null;
}

/** Permissions may name kinds that are planned. Their paths respond that the kind is not available yet. */
export function mountUnavailablePaths(routes: Routes, prefix: string, registry: Registry): void {
  const known = new Set(registry.resources.map(({ model }) => model));
  for (const model of assignableModels) {
    const path = known.has(model) ? null : pathOf(model);
    if (path === null) continue;
    routes.on([anyMethod], `${prefix}${path}*`, async () => {
      throw new Problem('not_found', `Not found. This version of Gatehouse does not have ${path} yet (${model}).`);
    });
  }
}
