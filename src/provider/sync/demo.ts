import type { Demo, DemoObject } from '../../core/kind/demo.ts';
import type { DemoProvider } from '../provider-kind.ts';

interface DemoTarget {
  readonly path: string;
  readonly linkId: string;
  readonly demo: { readonly name: string; readonly values: DemoObject };
}

/** A target of the demo, with a link to a user and to a group. */
export const demoTarget =
  ({ path, linkId, demo: { name, values } }: DemoTarget) =>
  async ({ api, people }: Demo): Promise<DemoProvider> => {
    const mappings = await api.list(`/propertymappings/provider/${path}/`);
    const called = (end: string) => mappings.filter(({ managed }) => String(managed).endsWith(end)).map(({ pk }) => pk);
    const mapped = { property_mappings: called('/user'), property_mappings_group: called('/group') };
    const provider = await api.ensure(`/providers/${path}/`, { name }, { ...values, ...mapped });
    const link = (id: string) => ({ [linkId]: id, provider: provider.pk });
    await api.ensure(`/providers/${path}_users/`, link('demo-ada'), { user: people.ada.pk });
    await api.ensure(`/providers/${path}_groups/`, link('demo-company'), { group: people.company.pk });
    return { provider };
  };
