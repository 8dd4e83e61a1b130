import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';

import { describeOnSqlite } from '../../support/server.ts';

const path = '/policies/geoip/';

describeOnSqlite('GeoIP policies', (server) => {
  test('countries in any spelling are stored sorted and unique', async () => {
    const made = await server().admin.post(path, {
      name: 'a few countries',
      countries: ['us', 'DEU', '826', 'France', { code: 'DE' }, 4, 'united kingdom'],
      asns: [64500, 64496, '64500'],
      execution_logging: true,
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      name: 'a few countries',
      execution_logging: true,
      component: 'xak-policy-geoip-form',
      verbose_name: 'GeoIP Policy',
      verbose_name_plural: 'GeoIP Policies',
      meta_model_name: 'svc_policies_geoip.geoippolicy',
      bound_to: 0,
      asns: [64500, 64496, 64500],
      countries: ['AF', 'DE', 'FR', 'GB', 'US'],
      countries_obj: [
        { code: 'AF', name: 'Afghanistan' },
        { code: 'DE', name: 'Germany' },
        { code: 'FR', name: 'France' },
        { code: 'GB', name: 'United Kingdom' },
        { code: 'US', name: 'United States of America' },
      ],
    });
    const events = await eventsAbout(server(), made.body.pk);
    expect(events.map(({ action }) => action)).toEqual(['model_created']);
  });

  test('all 249 countries can be named, by those who may add policies', async () => {
    const { admin, nobody, user } = server();
    const list = await nobody.get('/policies/geoip_iso3166/');
    expect(list.status).toBe(200);
    expect(list.body).toHaveLength(249);
    expect(list.body[0]).toEqual({ code: 'AF', name: 'Afghanistan' });
    expect(list.body.at(-1)).toEqual({ code: 'ZW', name: 'Zimbabwe' });
    const codes = list.body.map(({ code }: { code: string }) => code);
    const all = await admin.post(path, { name: 'the world', countries: codes });
    expect(all.body.countries).toEqual(codes.toSorted());
    expect(all.body.asns).toEqual([]);
    const stranger = await user(['svc_policies_geoip.view_geoippolicy']);
    expect((await stranger.api.post(path, { name: 'x', countries: [] })).status).toBe(403);
    expect((await nobody.post(path, { name: 'x', countries: [] })).status).toBe(403);
    const adder = await user(['svc_policies_geoip.add_geoippolicy']);
    expect((await adder.api.post(path, { name: 'empty', countries: [] })).status).toBe(201);
  });

  test.each([
    [{}, { name: ['This field is required.'], countries: ['This field is required.'] }],
    [
      { name: '  ', countries: ['DE', 'XX', null, 5000, {}], asns: [1, 'x', 2147483648, null, -2147483649] },
      {
        name: ['This field may not be blank.'],
        countries: {
          1: [expect.stringContaining('"XX" is not a valid choice.')],
          2: ['This field may not be null.'],
          3: [expect.stringContaining('"5000" is not a valid choice.')],
          4: [expect.stringContaining('"{}" is not a valid choice.')],
        },
        asns: {
          1: ['A valid integer is required.'],
          2: ['Ensure this value is less than or equal to 2147483647.'],
          3: ['This field may not be null.'],
          4: ['Ensure this value is greater than or equal to -2147483648.'],
        },
      },
    ],
    [
      { name: 'x', countries: 'DE', asns: 5 },
      {
        countries: ['Expected a list of items but got type "str".'],
        asns: ['Expected a list of items but got type "int".'],
      },
    ],
    [
      { name: 'x', countries: new Array(250).fill('DE'), asns: null },
      { countries: ['Ensure this field has no more than 249 elements.'], asns: ['This field may not be null.'] },
    ],
    [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
  ])('case %# is refused with all errors at once', async (body, complaints) => {
    const answer = await server().admin.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(complaints);
  });

  test('policies are changed, replaced, listed and deleted', async () => {
    const { admin } = server();
    const { body: made } = await admin.post(path, { name: 'to be changed', countries: ['NZ'], asns: [1] });
    const one = `${path}${made.pk}/`;
    expect((await admin.patch(one, { countries: ['NZL', 'AU'] })).body).toMatchObject({
      countries: ['AU', 'NZ'],
      asns: [1],
    });
    expect((await admin.put(one, { name: 'replaced' })).body).toEqual({ countries: ['This field is required.'] });
    expect((await admin.put(one, { name: 'replaced', countries: [] })).body).toMatchObject({
      countries: [],
      asns: [1],
    });
    expect((await admin.get(`${path}?name=replaced`)).body.pagination.count).toBe(1);
    expect((await admin.get(`${one}used_by/`)).body).toEqual([]);
    expect((await admin.delete(one)).status).toBe(204);
    expect((await admin.get(one)).status).toBe(404);
  });
});
