import { expect, test } from 'vitest';
import { lastEvents } from '../support/events.ts';
import { made, makePrompt, unique } from '../support/make-walk.ts';
import { makeProvider } from '../support/providers.ts';
import { describeOnBoth } from '../support/server.ts';

// Configuration tools compare lists as lists: another order than the one that they sent is a change to them.
describeOnBoth('references', (server) => {
  const turned = <T>([first, ...others]: readonly T[]): T[] => (first === undefined ? [] : [...others, first]);

  async function expectOrder(path: string, member: string, keys: readonly unknown[]) {
    const { admin } = server();
    const [, list = '', key] = /^(.*\/)([^/]+)\/$/.exec(path) ?? [];
    expect((await admin.get(path)).body[member]).toEqual(keys);
    const { results } = (await admin.get(`${list}?page_size=1000`)).body;
    const listed = results.find(({ pk }: { pk: unknown }) => String(pk) === key);
    expect(listed[member]).toEqual(keys);
  }

  test('are answered in the order in which they were sent last', async () => {
    const { admin } = server();
    const scopes = (await admin.get('/propertymappings/provider/scope/')).body.results;
    const mappings: string[] = scopes.map(({ pk }: { pk: string }) => pk);
    const prompts = [];
    for (const key of ['a', 'b', 'c']) prompts.push(await makePrompt(server(), key, 'text'));
    const transports = [];
    for (const name of ['a', 'b', 'c'])
      transports.push((await made(server(), '/events/transports/', { name: unique(name), mode: 'local' })).pk);
    const provider = await makeProvider(server(), { property_mappings: mappings.toReversed() });
    const stage = await made(server(), '/stages/prompt/stages/', { name: unique('s'), fields: prompts.toReversed() });
    const rule = await made(server(), '/events/rules/', { name: unique('r'), transports: transports.toReversed() });
    for (const [path, member, sent] of [
      [`/providers/oauth2/${provider.pk}/`, 'property_mappings', mappings],
      [`/stages/prompt/stages/${stage.pk}/`, 'fields', prompts],
      [`/events/rules/${rule.pk}/`, 'transports', transports],
    ] as const) {
      await expectOrder(path, member, sent.toReversed());
      for (const order of [turned(sent), sent.slice(1), sent, sent.toReversed().slice(1)]) {
        expect((await admin.patch(path, { [member]: order })).body[member]).toEqual(order);
        await expectOrder(path, member, order);
      }
    }
  });

  test('a new order is a change that the audit log tells, the same one is none', async () => {
    const { admin } = server();
    const { results } = (await admin.get('/propertymappings/provider/scope/')).body;
    const [one, two] = results.map(({ pk }: { pk: string }) => pk);
    const provider = await makeProvider(server(), { property_mappings: [two, one] });
    await admin.patch(`/providers/oauth2/${provider.pk}/`, { property_mappings: [one, two] });
    const [event] = await lastEvents(server(), 1);
    expect(event?.context.diff.property_mappings).toEqual({ previous_value: [two, one], new_value: [one, two] });
  });
});
