import { expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { rawRequest } from '../support/raw-request.ts';
import { describeOnSqlite } from '../support/server.ts';

const lines: string[] = [];
const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } });

const names = [
  '',
  '%5c',
  '%5C..%5C..%5Cpackage.json',
  '%00',
  'favicon.svg%00',
  '%00favicon.svg',
  'favicon.svg%00.png',
  '%',
  '%zz',
  '%2',
  '%E0%A4%A',
  '%c0%ae%c0%ae/package.json',
  '%ff%fe',
  '%u0061',
  '..',
  '.',
  '%2e%2e%2fpackage.json',
  '%252e%252e%252fpackage.json',
  '.git/config',
  'CON',
  'favicon.svg/',
  'favicon.svg/x',
  'favicon.svg%20',
  'favicon.svg.',
  'FAVICON.SVG',
  '/favicon.svg',
  'sources/',
  'sources',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(5_000),
  `${'a/'.repeat(2_000)}b`,
  '%5c'.repeat(1_000),
  '*',
  '~root',
  'file:///etc/passwd',
  "'",
  '<script>',
];

describeOnSqlite(
  'a path below a folder of files that names none of them',
  (server) => {
    test.each(['/static/', '/static/api-browser/', '/static/pages/', '/media/'])(
      'is not found below %s, and leaves one line about each refusal in the log',
      async (prefix) => {
        lines.length = 0;
        const refusals: object[] = [];
        for (const name of names) {
          for (const method of ['GET', 'HEAD']) {
            const answer = await rawRequest(server().url, prefix + name, { method });
            // Outside of folders, a path that cannot be decoded at all is a bad request.
            const expected = prefix === '/media/' && isBroken(name) ? 400 : 404;
            expect([method, name, answer.status]).toEqual([method, name, expected]);
            expect(answer.headers['x-content-type-options']).toBe('nosniff');
            refusals.push({ level: 'info', msg: 'request refused', method, status: expected });
          }
        }
        const logged = lines.map((line) => JSON.parse(line));
        expect(
          logged.map(({ level, msg, req, res }) => ({ level, msg, method: req?.method, status: res?.status })),
        ).toEqual(refusals);
        expect(logged.filter(({ err }) => err)).toEqual([]);
      },
    );

    test('is told apart from the path of a file, which is served escaped or not', async () => {
      for (const name of ['favicon.svg', '%66avicon.svg', 'favicon%2Esvg']) {
        const { status, headers, text } = await rawRequest(server().url, `/static/${name}`);
        expect([name, status, headers['content-type']]).toEqual([name, 200, 'image/svg+xml']);
        expect(text).toContain('<svg');
        const again = { headers: { 'if-none-match': String(headers.etag) } };
        expect((await rawRequest(server().url, `/static/${name}`, again)).status).toBe(304);
      }
    });

    test('is not found whatever the headers on ranges and encodings', async () => {
      lines.length = 0;
      for (const range of ['bytes=9-2', 'bytes=0-', 'bytes=-1', 'bytes=99999999-', 'x', 'bytes=NaN-NaN']) {
        const { status, text } = await rawRequest(server().url, '/static/favicon.svg', { headers: { range } });
        expect([range, status, text.includes('</svg>')]).toEqual([range, 200, true]);
      }
      for (const encoding of ['br;q=0, gzip;q=0', ';;,,', 'x'.repeat(4_000)]) {
        const headers = { 'accept-encoding': encoding };
        const answer = await rawRequest(server().url, '/static/favicon.svg', { headers });
        expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
      }
      expect(lines).toEqual([]);
    });
  },
  { log },
);

function isBroken(name: string): boolean {
  try {
    decodeURIComponent(name);
    return false;
  } catch {
    return true;
  }
}
