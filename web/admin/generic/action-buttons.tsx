import type { AdminInterface } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { useAddress } from '../address.ts';
import type { Action } from '../api/action.ts';
import type { Description } from '../api/description.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { ActionMenu, type MenuItem } from '../parts/menu.tsx';
import { RunDialog } from './run-dialog.tsx';

interface Props {
  readonly entry: ResourceEntry;
  readonly description: Description;
  /** Null for the list. */
  readonly objectKey: string | null;
  /** Permissions held on the object. */
  readonly held?: readonly string[];
  /** What the page offers besides. */
  readonly further?: readonly MenuItem[];
  onDone(): Promise<void>;
}

/** The declared actions of an object or a list, as far as the caller may use them. */
export function ActionButtons({ entry, description, objectKey, held, further = [], onDone }: Props) {
  const known = useInterface();
  const { query } = useAddress();
  const on = objectKey === null ? 'set' : 'row';
  const offered = description.actions.filter((action) => action.on === on && isOffered(action, known, held));
  const open = offered.find((action) => dialogOf(action) === query.get('dialog'));
  return (
    <>
      <ActionMenu
        items={[
          ...offered.map((action) => ({ name: dialogOf(action), title: t('{action}…', { action: action.label }) })),
          ...further,
        ]}
      />
      {open && (
        <RunDialog
          key={open.name}
          {...{ entry, description, objectKey, onDone }}
          action={open}
          dialog={dialogOf(open)}
        />
      )}
    </>
  );
}

/** Apart from the page's own dialogs. */
const dialogOf = ({ name }: Action): string => `run-${name}`;

/** Whether the caller may use it; `held` are permissions on the object. */
function isOffered(action: Action, { user, acting, actions }: AdminInterface, held: readonly string[] = []): boolean {
  if (!action.credentials.includes(acting ? 'impersonated session' : 'session')) return false;
  return user.is_superuser || action.needs.every((need) => actions.includes(need) || held.includes(need));
}
