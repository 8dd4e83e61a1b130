import { t } from '../../texts/texts.ts';
import type { ResourceEntry } from '../api/interface.ts';
import type { WholeObject } from '../api/object.ts';
import { BindingList } from './binding-list.tsx';

const isRule = ({ path }: ResourceEntry): boolean => path === '/events/rules/';

/** The tab about what is bound to an object; null for objects that nothing is bound to, or whose own page has it. */
export function bindingsTab(entry: ResourceEntry): { name: string; title: string } | null {
  if (isRule(entry)) return { name: 'bindings', title: t('Policies') };
  return entry.family === '/sources/all/' ? { name: 'bindings', title: t('Access') } : null;
}

/** Which events a rule is about, or who may come by a source. */
export function BindingsTab({ entry, object }: { entry: ResourceEntry; object: WholeObject }) {
  const isForEvents = isRule(entry);
  return (
    <div className="stack">
      <BindingList
        target={String(object.pk)}
        mode={object.row.policy_engine_mode === 'all' ? 'all' : 'any'}
        canChange={object.may.includes('change')}
        isForEvents={isForEvents}
        open={t(
          isForEvents ? 'No policy selects events, so it notifies of nothing.' : 'Nothing is bound: open to everybody.',
        )}
      />
    </div>
  );
}
