import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { made, unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';
import { loopbackAllowed } from '../../support/service.ts';
import { startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { newBrowser, throughFlow } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

const done = { component: 'xak-flow-redirect', to: '/if/user/' };

describeOnBoth(
  'groups from an OpenID provider',
  (server) => {
    const { source, arrive, me } = openIdWalk(server, peer);

    /**
     * Signs in with these members of the claims; the names of the groups and the messages of the errors that follow.
     */
    async function signIn(slug: string, person: Record<string, unknown>) {
      peer.person = { preferred_username: person.sub, name: 'Person', ...person };
      const browser = newBrowser(server());
      const events = await eventsDuring(server(), async () => {
        expect(await throughFlow(browser, await arrive(slug, browser))).toEqual(done);
      });
      const errors = events.filter(({ action }) => action === 'configuration_error');
      const groups: { name: string }[] = (await me(browser)).groups;
      return {
        groups: groups.map(({ name }) => name).sort(),
        errors: errors.map(({ context }) => context.message as string),
        events,
      };
    }
    const mapping = async (expression: string) =>
      (await made(server(), '/propertymappings/source/oauth/', { name: unique('mapping'), expression })).pk;
    const groupNamed = async (name: string) =>
      (await server().admin.get(`/core/groups/?name=${encodeURIComponent(name)}`)).body.results[0];

    test('are all joined, of a user with more than 200', async () => {
      const attributes = await mapping('return { attributes: { id: group_id, of: info.sub } }');
      const { slug } = await source({ group_property_mappings: [attributes] });
      const sub = unique('sub');
      const groups = Array.from({ length: 450 }, (_, index) => `${sub}-${index}`);
      const first = await signIn(slug, { sub, groups });
      expect([first.groups.length, first.errors]).toEqual([450, []]);
      expect((await groupNamed(`${sub}-449`)).attributes).toEqual({ id: `${sub}-449`, of: sub });
      const second = await signIn(slug, { sub, groups: groups.slice(1) });
      expect(second.groups).toHaveLength(449);
    });

    test('stay as they are above 5,000, and an event names the count', async () => {
      const { slug } = await source();
      const sub = unique('sub');
      const group = unique('group');
      await signIn(slug, { sub, groups: [group] });
      const groups = Array.from({ length: 5_001 }, (_, index) => `${index}`);
      const { groups: kept, errors } = await signIn(slug, { sub, groups });
      expect(kept).toEqual([group]);
      expect(errors).toEqual([expect.stringContaining('5001 groups')]);
    });

    test('may be a single text, in the claim and in a mapping', async () => {
      const sub = unique('sub');
      const group = unique('group');
      const { slug } = await source();
      expect(await signIn(slug, { sub, groups: group })).toMatchObject({ groups: [group], errors: [] });
      const team = unique('team');
      const mapped = await source({ user_property_mappings: [await mapping('return { groups: info.team }')] });
      expect(await signIn(mapped.slug, { sub: unique('sub'), team })).toMatchObject({ groups: [team], errors: [] });
    });

    test('stay as they are when the provider moves them to _claim_names, and an event says so', async () => {
      const { slug } = await source();
      const sub = unique('sub');
      const group = unique('group');
      await signIn(slug, { sub, groups: [group] });
      // As Entra ID writes it for users in more than 200 groups.
      const overage = {
        _claim_names: { groups: 'src1' },
        _claim_sources: { src1: { endpoint: 'https://graph.windows.net/tenant/users/id/getMemberObjects' } },
      };
      const { groups, errors } = await signIn(slug, { sub, ...overage });
      expect(groups).toEqual([group]);
      expect(errors).toEqual([expect.stringContaining('_claim_names')]);
    });

    test('are left when the provider sends no claim', async () => {
      const { slug } = await source();
      const sub = unique('sub');
      await signIn(slug, { sub, groups: [unique('group')] });
      expect(await signIn(slug, { sub })).toMatchObject({ groups: [], errors: [] });
    });

    describe('that are connected', () => {
      const byInfo = 'return { name: info.titles[group_id], attributes: info.details }';

      test('get the name and attributes that a mapping returns later, and keep attributes of their own', async () => {
        const { slug } = await source({ group_property_mappings: [await mapping(byInfo)] });
        const sub = unique('sub');
        const [before, after] = [unique('before'), unique('after')];
        await signIn(slug, { sub, groups: ['7'], titles: { 7: before }, details: { cost: 1 } });
        const { pk, attributes } = await groupNamed(before);
        await server().admin.patch(`/core/groups/${pk}/`, { attributes: { ...attributes, own: true } });
        const again = await signIn(slug, { sub, groups: ['7'], titles: { 7: after }, details: { cost: 2 } });
        expect(again).toMatchObject({ groups: [after], errors: [] });
        const { body } = await server().admin.get(`/core/groups/${pk}/`);
        expect(body).toMatchObject({ name: after, attributes: { cost: 2, own: true } });
        expect(again.events.filter(({ action }) => action === 'model_updated')).toMatchObject([
          { context: { model: { name: after }, diff: { name: { previous_value: before, new_value: after } } } },
        ]);
      });

      test('keep the name that an administrator gave them, if no mapping names them', async () => {
        const { slug } = await source();
        const [sub, group, renamed] = [unique('sub'), unique('group'), unique('renamed')];
        await signIn(slug, { sub, groups: [group] });
        await server().admin.patch(`/core/groups/${(await groupNamed(group)).pk}/`, { name: renamed });
        expect(await signIn(slug, { sub, groups: [group] })).toMatchObject({ groups: [renamed], errors: [] });
      });

      test('keep their name when another group has the new one, and an event says so', async () => {
        const { slug } = await source({ group_property_mappings: [await mapping(byInfo)] });
        const [sub, before, taken] = [unique('sub'), unique('before'), unique('taken')];
        await made(server(), '/core/groups/', { name: taken });
        await signIn(slug, { sub, groups: ['8'], titles: { 8: before } });
        const renamed = { sub, groups: ['8'], titles: { 8: taken }, details: { cost: 3 } };
        const { groups, errors } = await signIn(slug, renamed);
        expect([groups, errors]).toEqual([[before], [expect.stringContaining(taken)]]);
        expect((await groupNamed(before)).attributes).toEqual({ cost: 3 });
      });

      test('stay as they are if they bring superuser rights', async () => {
        const { slug } = await source({ group_property_mappings: [await mapping(byInfo)] });
        const [sub, before] = [unique('sub'), unique('before')];
        await signIn(slug, { sub, groups: ['9'], titles: { 9: before } });
        const { pk } = await groupNamed(before);
        await server().admin.patch(`/core/groups/${pk}/`, { is_superuser: true });
        await signIn(slug, { sub, groups: ['9'], titles: { 9: unique('after') }, details: { cost: 4 } });
        expect(await groupNamed(before)).toMatchObject({ pk, attributes: {} });
      });
    });

    test('whose name a group here has are not joined in the mode identifier, and one event a day names them', async () => {
      const { slug } = await source();
      const [sub, group] = [unique('sub'), unique('group')];
      await made(server(), '/core/groups/', { name: group });
      const first = await signIn(slug, { sub, groups: [group] });
      expect(first.groups).toEqual([]);
      expect(first.errors).toEqual([expect.stringContaining(`"${group}" is not joined`)]);
      expect(await signIn(slug, { sub, groups: [group] })).toMatchObject({ groups: [], errors: [] });
      const other = await signIn(slug, { sub: unique('sub'), groups: [group] });
      expect(other.errors).toHaveLength(1);
    });

    test('that could not be stored are skipped', async () => {
      const groups = await mapping('return { groups: ["a\\u0000b", "x".repeat(300), info.team] }');
      const { slug } = await source({ user_property_mappings: [groups] });
      const team = unique('team');
      const signedIn = await signIn(slug, { sub: unique('sub'), team });
      expect(signedIn).toMatchObject({ groups: [team], errors: [expect.stringContaining('Skipped 2 groups')] });
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
