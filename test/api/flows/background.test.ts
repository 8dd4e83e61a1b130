import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describeOnBoth('images of flows', (server) => {
  let pk: string;
  const at = '/flows/instances/pictured/';
  const file = (bytes: Buffer<ArrayBuffer> | string, name = 'image.png', type = 'image/png') => {
    const form = new FormData();
    form.append('file', new Blob([bytes], { type }), name);
    return form;
  };
  const background = async () => (await server().admin.get(at)).body.background as string;
  const fetchMedia = (url: string, headers = {}) => fetch(`${server().url}${url}`, { headers });
  const kept = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from media`.execute(server().world.db.read);
    return Number(rows[0]?.count);
  };

  beforeAll(async () => {
    const values = { name: 'p', slug: 'pictured', title: 'P', designation: 'enrollment' };
    pk = (await server().admin.post('/flows/instances/', values)).body.pk;
  });

  test('an uploaded image is served as what it is, for good, and anybody may see it', async () => {
    const { status, text } = await server().admin.send('POST', `${at}set_background/`, file(png));
    expect([status, text]).toEqual([200, '']);
    const url = await background();
    expect(url).toMatch(/^\/media\/[0-9a-f-]{36}\.png$/);
    const served = await fetchMedia(url);
    expect(served.status).toBe(200);
    expect(served.headers.get('content-type')).toBe('image/png');
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
    expect(served.headers.get('cache-control')).toContain('immutable');
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png);
    const etag = served.headers.get('etag') as string;
    expect((await fetchMedia(url, { 'if-none-match': etag })).status).toBe(304);
  });

  test('the type is read from the bytes, not from what the sender says', async () => {
    await server().admin.send('POST', `${at}set_background/`, file(svg, 'x.png', 'image/png'));
    const url = await background();
    expect(url).toMatch(/\.svg$/);
    const served = await fetchMedia(url);
    expect(served.headers.get('content-type')).toBe('image/svg+xml');
    expect(served.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    for (const [bytes, name] of [
      ['<html><script>alert(1)</script></html>', 'page.svg'],
      ['%PDF-1.7', 'paper.png'],
      ['', 'empty.png'],
    ] as const) {
      const { status, body } = await server().admin.send('POST', `${at}set_background/`, file(bytes, name));
      expect([name, status]).toEqual([name, 400]);
      expect(Object.keys(body)).toEqual(['file']);
    }
    expect(await background()).toBe(url);
  });

  test('an image goes when it is replaced or cleared, or with its flow', async () => {
    await server().admin.send('POST', `${at}set_background/`, file(png));
    const first = await background();
    const before = await kept();
    await server().admin.send('POST', `${at}set_background/`, file(png));
    expect(await kept()).toBe(before);
    expect((await fetchMedia(first)).status).toBe(404);
    const clear = new FormData();
    clear.append('clear', 'true');
    expect((await server().admin.send('POST', `${at}set_background/`, clear)).status).toBe(200);
    expect(await background()).toBe('/static/flow-background.svg');
    expect(await kept()).toBe(before - 1);

    const values = { name: 'q', slug: 'short-lived', title: 'Q', designation: 'enrollment' };
    await server().admin.post('/flows/instances/', values);
    await server().admin.send('POST', '/flows/instances/short-lived/set_background/', file(png));
    expect(await kept()).toBe(before);
    await server().admin.delete('/flows/instances/short-lived/');
    expect(await kept()).toBe(before - 1);
  });

  test('an image that another flow shows is kept', async () => {
    await server().admin.send('POST', `${at}set_background/`, file(png));
    const url = await background();
    const values = { name: 's', slug: 'sharing', title: 'S', designation: 'enrollment' };
    await server().admin.post('/flows/instances/', values);
    expect((await server().admin.post('/flows/instances/sharing/set_background_url/', { url })).status).toBe(200);
    await server().admin.post(`${at}set_background_url/`, { url: 'https://example.org/a.png' });
    expect(await background()).toBe('https://example.org/a.png');
    expect((await fetchMedia(url)).status).toBe(200);
    await server().admin.delete('/flows/instances/sharing/');
    expect((await fetchMedia(url)).status).toBe(404);
  });

  test('each change leaves one event, a dry run none and no file', async () => {
    const before = (await eventsAbout(server(), pk)).length;
    const files = await kept();
    const dry = await server().admin.send('POST', `${at}set_background/?dry_run=true`, file(png));
    expect(dry.status).toBe(200);
    expect([await kept(), (await eventsAbout(server(), pk)).length]).toEqual([files, before]);
    const url = 'https://example.org/changed.png';
    await server().admin.post(`${at}set_background_url/`, { url });
    const events = await eventsAbout(server(), pk);
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)).toMatchObject({
      action: 'model_updated',
      username: 'admin',
      context: { diff: { background: { new_value: url } } },
    });
  });

  test('a flow without an image has the same background for its page as in the API', async () => {
    const clear = new FormData();
    clear.set('clear', 'true');
    await server().admin.send('POST', `${at}set_background/`, clear);
    const stage = (await server().admin.post('/stages/dummy/', { name: 'pictured' })).body;
    await server().admin.post('/flows/bindings/', { target: pk, stage: stage.pk, order: 0 });
    const { body } = await server().nobody.get('/flows/executor/pictured/');
    expect([body.flow_info.background, await background()]).toEqual(Array(2).fill('/static/flow-background.svg'));
  });

  test('changing an image needs the permission to change its flow', async () => {
    const viewer = await server().user(['svc_flows.view_flow']);
    expect((await viewer.api.send('POST', `${at}set_background/`, file(png))).status).toBe(403);
    expect((await viewer.api.post(`${at}set_background_url/`, { url: '' })).status).toBe(403);
    const editor = await server().user(['svc_flows.view_flow', 'svc_flows.change_flow']);
    expect((await editor.api.send('POST', `${at}set_background/`, file(png))).status).toBe(200);
    expect((await server().nobody.send('POST', `${at}set_background/`, file(png))).status).toBe(403);
  });

  test('broken, oversized and missing uploads are refused', async () => {
    const post = (body: string | Uint8Array, type: string) =>
      server().admin.send('POST', `${at}set_background/`, body, { 'content-type': type });
    expect((await post('{}', 'application/json')).status).toBe(415);
    expect((await post('no parts at all', 'multipart/form-data; boundary=x')).status).toBe(400);
    expect((await post('x', 'multipart/form-data')).status).toBe(400);
    const large = await server().admin.send('POST', `${at}set_background/`, file(Buffer.alloc(5 * 1024 * 1024 + 1)));
    expect(large.status).toBe(413);
    expect((await server().admin.send('POST', '/flows/instances/', file(png))).status).toBe(415);
    expect((await server().admin.get(at)).status).toBe(200);
  });
});
