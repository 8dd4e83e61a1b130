import { sql } from 'kysely';
import { imageActions } from '../core/media/image-actions.ts';
import { image } from '../core/media/image-field.ts';
import { userSetting } from '../flow/user-settings.ts';
import { Invalid } from '../lib/problem.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { arrayOf } from '../resource/document/json-schema.ts';
import { defineFamilyList } from '../resource/family.ts';
import { hidden } from '../resource/fields/field.ts';
import { text } from '../resource/fields/text.ts';
import type { Action, Resource } from '../resource/resource.ts';
import { loadSources } from './load-source.ts';
import { filterAllowedSources } from './sign-in.ts';
import { filterable, sourceFamily, unused } from './source.family.ts';
import type { SourceKind } from './source-kind.ts';

/** Marks the built-in source of local users. */
export const builtInSource = 'gatehouse/sources/inbuilt';

interface Dependencies {
  readonly policies: PolicyEngine;
  readonly kinds: readonly SourceKind[];
}

const names = ['source', 'sources'] as const;

/** Sources of every kind. */
export function sourcesResource(needs: Dependencies): Resource {
  const { group_matching_mode, ...shared } = sourceFamily.fields;
  const list = defineFamilyList({
    family: sourceFamily,
    path: '/sources/all/',
    param: 'slug',
    lookup: 'slug',
    key: 'uuid',
    schema: 'Source',
    names,
    target: 'pk',
    order: ['name'],
    page: { columns: ['name', 'verbose_name', 'slug', 'enabled'] },
    search: ['name', 'slug'],
    fields: {
      ...filterable(shared, ['managed', 'name', 'slug']),
      group_matching_mode: unused(group_matching_mode),
      // Only the built-in source is created here.
      kind: text({ ...hidden, default: sourceFamily.model }),
    },
    views: { base: baseView, base_with_icon: { ...baseView, instead: { icon: image('') } } },
    actions: [...imageActions({ model: sourceFamily.model, column: 'icon', field: 'icon' }), userSettingsAction(needs)],
  });
  return {
    ...list,
    async afterWrite(input) {
      if (input.values.kind !== sourceFamily.model) return list.afterWrite?.(input);
      if (input.verb === 'destroy') throw Invalid.whole('The built-in source cannot be deleted.');
    },
  };
}

const descriptive = ['component', 'verbose_name', 'verbose_name_plural', 'meta_model_name'];

/** A source nested in a connection shows what all sources share and nothing of its kind. */
const baseView = {
  schema: 'Source',
  fields: ['pk', ...Object.keys(sourceFamily.fields).filter((name) => name !== 'group_matching_mode'), ...descriptive],
  fixed: {
    component: '',
    verbose_name: names[0],
    verbose_name_plural: names[1],
    meta_model_name: sourceFamily.model,
  },
};

/** What the caller may link to: enabled sources that are ready and whose policies let them. */
function userSettingsAction({ policies, kinds }: Dependencies): Action {
  return {
    name: 'user_settings',
    on: 'set',
    method: 'GET',
    page: { noButton: 'The account page shows them.' },
    summary: 'List the sources that the caller can link to',
    access: 'authenticated',
    answer: { status: 200, schema: arrayOf(userSetting), schemaName: 'UserSetting' },
    async run({ call, tx }) {
      const settings: Record<string, string>[] = [];
      for (const { resource, link, iconOf, isReady = () => true } of kinds) {
        if (!link) continue;
        const enabled = await loadSources(resource, (row) => sql`${row.col('enabled')}`, call, tx);
        const sources = enabled.filter(isReady);
        const results = await filterAllowedSources(policies, sources, call);
        for (const source of sources.filter(({ pk }) => results.get(pk)?.passing)) {
          settings.push({
            object_uid: source.slug,
            component: link.component,
            title: source.name,
            configure_url: link.configureUrl(source),
            icon_url: iconOf?.(source) ?? (typeof source.icon === 'string' ? source.icon : ''),
          });
        }
      }
      return settings;
    },
  };
}
