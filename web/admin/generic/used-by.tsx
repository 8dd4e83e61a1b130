import { use, useCallback } from 'react';
import type { UsedBy } from '../../api/types.ts';
import { type Loadable, Loaded, useLoadable } from '../../elements/loading.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { type Names, readNames } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';
import { kindName } from '../labels.ts';
import { Link } from '../link.tsx';
import { labelOfObject } from '../shipped-labels.ts';

/** What deleting the object does to what uses it. */
const consequences: Readonly<Record<UsedBy['action'], Text>> = {
  cascade: 'is deleted with it',
  cascade_many: 'is no longer linked to it',
  set_null: 'no longer refers to it',
  set_default: 'gets its default instead',
  protect: 'keeps it from being deleted',
};

/** What that means for the use; of a group for its members, and of what a binding names for who gets in. */
function consequenceOf(use: UsedBy, deleted: ResourceEntry): Text {
  const { action } = use;
  if (action === 'cascade_many' && deleted.model === 'svc_core.group' && modelOf(use) === 'svc_core.user')
    return 'leaves this group';
  if (action === 'set_null' && modelOf(use) === 'svc_policies.policybinding') return 'will let nobody in';
  return consequences[action];
}

export interface FoundUses {
  readonly uses: readonly UsedBy[];
  readonly names: Names;
}

/** The objects that name an object, and where they have their pages. */
export function useUses(entry: ResourceEntry, objectKey: string): Loadable<FoundUses> {
  const pages = use(PagesContext);
  const path = `${pathOfObject(entry, objectKey)}used_by/`;
  return useLoadable(
    useCallback(async () => {
      const { answer: uses, names } = await pages.read<readonly UsedBy[]>(path);
      return { uses, names };
    }, [pages, path]),
  );
}

/** Where objects have their pages. */
export function namesOfUses(uses: readonly UsedBy[]): Promise<Names> {
  const byModel = Map.groupBy(uses, modelOf);
  return readNames([...byModel].map(([model, of]) => `${model}:${[...new Set(of.map(({ pk }) => pk))].join(',')}`));
}

const modelOf = ({ app, model_name }: UsedBy): string => `${app}.${model_name}`;

/** The tab that lists them. */
export function UsedByTab({ entry, objectKey }: { entry: ResourceEntry; objectKey: string }) {
  return (
    <Loaded {...useUses(entry, objectKey)}>
      {(found) =>
        found.uses.length === 0 ? <p className="empty">{t('Nothing uses it.')}</p> : <Uses entry={entry} {...found} />
      }
    </Loaded>
  );
}

export function Uses({ entry, uses, names }: FoundUses & { readonly entry: ResourceEntry }) {
  const { resources } = useInterface();
  return (
    <ul className="rows">
      {uses.map((use) => {
        const { pk, name, action } = use;
        const model = modelOf(use);
        const path = names(model, pk)?.path;
        const kind = resources.find((one) => one.model === model)?.singular;
        // What has no name is called as its kind is, in the words of its model.
        const called = kind !== undefined && kindName(name) === kind ? kind : labelOfObject({ name, path: path ?? '' });
        return (
          <li key={`${model} ${pk} ${action}`} className="rows-row">
            <div className="rows-text">
              <p>{path ? <Link href={hrefOf(path)}>{called}</Link> : called}</p>
              <p className="quiet small">{kind ?? model}</p>
            </div>
            <span className={action === 'cascade' || action === 'protect' ? 'tag tag-warning' : 'tag'}>
              {t(consequenceOf(use, entry))}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
