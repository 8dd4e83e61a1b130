import { useMemo, useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { Group } from '../../api/types.ts';
import { useInterface } from '../api/interface.ts';
import type { NamedObject } from '../api/objects.ts';

const groupModel = 'svc_core.group';

const groupNamed = (name: string, pk: string): NamedObject => ({
  ...{ model: groupModel, base: groupModel, pk, name, label: name, type: '', path: '/core/groups/', may: [] },
});

interface NewGroup {
  /** The option of a picker that creates a group of this name; null if the picker cannot. */
  readonly draft: NamedObject | null;
  /** Why the last one was not created. */
  readonly complaint: string | null;
  create(): Promise<void>;
}

/** Lets pickers of groups create a group that does not exist yet. */
export function useNewGroup(model: string, text: string, onCreated: (group: NamedObject) => void): NewGroup {
  const { resources } = useInterface();
  const [complaint, setComplaint] = useState<string | null>(null);
  const name = text.trim();
  const mayAdd = resources.some((entry) => entry.model === groupModel && entry.may.add === 'all');
  const draft = useMemo(
    () => (model === groupModel && mayAdd && name !== '' ? groupNamed(name, '') : null),
    [model, mayAdd, name],
  );
  async function create(): Promise<void> {
    setComplaint(null);
    try {
      const { pk } = await apiFetch<Group>('POST', '/core/groups/', { name });
      onCreated(groupNamed(name, pk));
    } catch (problem) {
      setComplaint(errorMessage(problem));
    }
  }
  return { draft, complaint, create };
}
