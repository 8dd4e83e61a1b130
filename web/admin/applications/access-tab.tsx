import { BindingList } from '../access/binding-list.tsx';
import type { TabProps } from './application.ts';

/** Who may use it: its bindings. */
export function AccessTab({ application, may }: TabProps) {
  return (
    <div className="stack">
      <BindingList
        target={application.pk}
        mode={application.policy_engine_mode}
        canChange={may.includes('change')}
        open="Everybody who can sign in may use it."
      />
    </div>
  );
}
