import { useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { PaginatedPolicyBindingList, PolicyBinding } from '../../api/types.ts';
import { useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { ListPage } from '../generic/list-page.tsx';
import type { ExtraColumn } from '../generic/table.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { labelOfObject } from '../shipped-labels.ts';

/** Applications, with who may open them. */
export const ApplicationsPage = (props: ResourcePage) => <ListPage {...props} useExtra={useAccess} />;

const maxShown = 3;
const bindings = '/policies/bindings/';

/** What is bound to the applications, in one request for all of them. */
function useAccess(rows: readonly Row[]): ExtraColumn | null {
  const isOpenToCaller = useInterface().resources.some(({ path, may }) => path === bindings && may.view === 'all');
  const keys = rows.map(({ pk }) => String(pk)).join(',');
  const { answer } = useLoadable(
    useCallback(async () => {
      if (!isOpenToCaller || keys === '') return null;
      const query = new URLSearchParams({ target_in: keys, enabled: 'true', ordering: 'order', page_size: '1000' });
      const { results } = await apiFetch<PaginatedPolicyBindingList>('GET', `${bindings}?${query}`);
      return Map.groupBy(results, ({ target }) => target);
    }, [isOpenToCaller, keys]),
  );
  if (answer.state !== 'ready' || !answer.value) return null;
  const found = answer.value;
  return { title: t('Who may open it'), cellOf: ({ pk }) => wordsOf(found.get(String(pk)) ?? []) };
}

function wordsOf(bound: readonly PolicyBinding[]): string {
  if (bound.length === 0) return t('Everybody');
  const names = bound.slice(0, maxShown).map(nameOf).join(t(', '));
  const count = bound.length - maxShown;
  return count > 0 ? t('{names} and {count, number} more', { names, count }) : names;
}

function nameOf({ policy_obj, group_obj, user_obj, negate }: PolicyBinding): string {
  const name =
    (policy_obj && labelOfObject({ name: policy_obj.name, path: '' })) ??
    group_obj?.name ??
    user_obj?.username ??
    t('the binding');
  return negate ? t('not {name}', { name }) : name;
}
