import { createContext, type ReactNode, use, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { SavedView } from '../../api/types.ts';
import { hrefOf } from '../address.ts';
import { dormantSince } from '../people/dormant.ts';

interface SavedViews {
  readonly views: readonly SavedView[];
  set(views: readonly SavedView[]): void;
}

const SavedViewsContext = createContext<SavedViews>({ views: [], set() {} });

export function SavedViewsProvider({ first, children }: { first: readonly SavedView[]; children: ReactNode }) {
  const [views, set] = useState(first);
  return <SavedViewsContext value={{ views, set }}>{children}</SavedViewsContext>;
}

const path = '/admin/views/';

export function useSavedViews() {
  const { views, set } = use(SavedViewsContext);
  const others = (pk: string) => views.filter((view) => view.pk !== pk);
  const keep = (view: SavedView): SavedView => {
    set([...others(view.pk), view].toSorted((one, other) => one.name.localeCompare(other.name)));
    return view;
  };
  return {
    views,
    create: async (view: Omit<SavedView, 'pk'>) => keep(await apiFetch<SavedView>('POST', path, view)),
    update: async ({ pk, ...view }: SavedView) => keep(await apiFetch<SavedView>('PUT', `${path}${pk}/`, view)),
    async remove({ pk }: SavedView) {
      await apiFetch('DELETE', `${path}${pk}/`);
      set(others(pk));
    },
  };
}

/** Which view a list shows, in the address beside what the view asks for: that can be changed meanwhile. */
export const viewParameter = 'view';

/** Stands for 90 days before the day on which the view is opened. */
const forDormant = 'P90D';

/** What a view saves of an address: not the page that one is at. */
export function savedQueryOf(query: URLSearchParams): string {
  const passing = ['page', 'dialog', 'live', viewParameter];
  const kept = [...query]
    .filter(([name, value]) => !passing.includes(name) && value !== '')
    .map(([name, value]) => [name, value === dormantSince() ? forDormant : value]);
  return String(
    new URLSearchParams(kept.toSorted(([one = ''], [other = '']) => (one < other ? -1 : Number(one > other)))),
  );
}

export function hrefOfView({ list, query, pk }: SavedView): string {
  const asked = new URLSearchParams(query);
  const valuesOf = (name: string) => asked.getAll(name).map((value) => (value === forDormant ? dormantSince() : value));
  const members = [...new Set(asked.keys())].map((name) => [name, valuesOf(name)] as const);
  return hrefOf(list, { ...Object.fromEntries(members), [viewParameter]: pk });
}
