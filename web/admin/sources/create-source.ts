import { apiFetch } from '../../api/call.ts';
import type { Paginated } from '../../api/paginated.ts';
import type { Flow, IdentificationStage, PaginatedIdentificationStageList } from '../../api/types.ts';
import { addToList } from '../api/add-to-list.ts';
import type { Row } from '../api/objects.ts';

/** Who gets an account when they come for the first time. */
export type Newcomers = 'nobody' | 'invited' | 'everyone' | 'domains';

export interface NewSource {
  readonly values: Row;
  readonly newcomers: Newcomers;
  /** Lower case, without the `@`. */
  readonly domains: readonly string[];
  readonly isOffered: boolean;
}

const read = <T>(path: string): Promise<T> => apiFetch<T>('GET', path);
const post = <T>(path: string, body: Row): Promise<T> => apiFetch<T>('POST', path, body);

/** The source, what it needs to let these people in, and its button on the sign-in page. */
export async function createSource({ values, newcomers, domains, isOffered }: NewSource): Promise<{ slug: string }> {
  const known = await read<Flow>('/flows/instances/default-source-authentication/');
  const made: string[] = [];
  try {
    const enrollment = await enrollmentFlow(String(values.slug), { newcomers, domains }, made);
    const source = await post<{ pk: string; slug: string }>('/sources/oauth/', {
      ...values,
      authentication_flow: known.pk,
      enrollment_flow: enrollment,
      user_matching_mode: newcomers === 'invited' ? 'email_link' : 'identifier',
    });
    // The page of the source offers to repeat it.
    if (isOffered) await offer(source.pk).catch(() => {});
    return source;
  } catch (problem) {
    for (const path of made.reverse()) await apiFetch('DELETE', path).catch(() => {});
    throw problem;
  }
}

async function enrollmentFlow(
  slug: string,
  { newcomers, domains }: Pick<NewSource, 'newcomers' | 'domains'>,
  made: string[],
): Promise<string | null> {
  if (newcomers === 'nobody' || newcomers === 'invited') return null;
  const shipped = await read<Flow>('/flows/instances/default-source-enrollment/');
  if (newcomers === 'everyone') return shipped.pk;
  const name = `enrollment-${slug}`;
  const flow = await post<Flow>('/flows/instances/', {
    ...{ name, slug: name, title: shipped.title, designation: 'enrollment', policy_engine_mode: 'all' },
  });
  made.push(`/flows/instances/${name}/`);
  const policy = await post<{ pk: string }>('/policies/expression/', { name, expression: expressionFor(domains) });
  made.push(`/policies/expression/${policy.pk}/`);
  await post('/policies/bindings/', { policy: policy.pk, target: flow.policybindingmodel_ptr_id, order: 0 });
  await copyStages(shipped, flow);
  return flow.pk;
}

/**
 * Sources leave out unverified addresses, so an address is the person's own. In a flow that is opened without the
 * source there is none.
 */
const expressionFor = (domains: readonly string[]): string =>
  [
    'const domains = '.concat(JSON.stringify(domains), ';'),
    "const email = String(context.prompt_data?.email ?? '').toLowerCase();",
    "const at = email.lastIndexOf('@');",
    'return at > 0 && domains.includes(email.slice(at + 1));',
  ].join('\n');

/** The same stages as the shipped flow, with their policies. */
async function copyStages(from: Flow, to: Flow): Promise<void> {
  const { results } = await read<Paginated<Row>>(`/flows/bindings/?target=${from.pk}&ordering=order&page_size=100`);
  for (const { stage, order, evaluate_on_plan, re_evaluate_policies, ...binding } of results) {
    const copied = await post<Row>('/flows/bindings/', {
      ...{ target: to.pk, stage, order, evaluate_on_plan, re_evaluate_policies },
      policy_engine_mode: binding.policy_engine_mode,
      invalid_response_action: binding.invalid_response_action,
    });
    const path = `/policies/bindings/?target=${binding.policybindingmodel_ptr_id}&page_size=100`;
    for (const { policy, group, user, negate, enabled, order: place, timeout } of (await read<Paginated<Row>>(path))
      .results)
      await post('/policies/bindings/', {
        ...{ policy, group, user, negate, enabled, order: place, timeout },
        target: copied.policybindingmodel_ptr_id,
      });
  }
}

/** A button with its name, where people sign in. */
async function offer(source: string): Promise<void> {
  const { flow_authentication } = await read<{ flow_authentication?: string }>('/core/brands/current/');
  const { results } = await read<PaginatedIdentificationStageList>('/stages/identification/?page_size=100');
  const isOf = (test: (flow: IdentificationStage['flow_set'][number]) => boolean) =>
    results.find(({ flow_set }) => flow_set.some(test));
  const stage =
    isOf(({ slug }) => slug === flow_authentication) ?? isOf(({ designation }) => designation === 'authentication');
  if (!stage) return;
  await addToList(`/stages/identification/${stage.pk}/`, 'sources', source, { show_source_labels: true });
}
