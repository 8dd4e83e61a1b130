import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { describe, expect, test } from 'vitest';
import { imageTypeOf } from '../../src/core/media/image-type.ts';
import { readBlueprint } from '../../src/flow/blueprint/format.ts';
import { readAnswers } from '../../src/kinds/stages/prompt/prompt-answers.ts';
import { parseDuration } from '../../src/lib/duration.ts';
import { readPem } from '../../src/lib/pem.ts';
import { readForm } from '../../src/lib/read-form.ts';
import { readMessage, responseLimits } from '../../src/lib/saml/message.ts';
import { verifySigned } from '../../src/lib/xml/verify.ts';
import { sqliteDialect } from '../../src/platform/db/sqlite/dialect.ts';
import { createUserAgentParser } from '../../src/platform/user-agent.ts';
import { json } from '../../src/resource/fields/structured.ts';
import { text } from '../../src/resource/fields/text.ts';
import { describeOnSqlite } from '../support/server.ts';

/** Processor time of this thread, to which neither other work nor the collection of others' garbage adds. */
function processorSeconds(work: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    work();
  } catch {
    // Refusing is fine, as long as it is quick.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

const prompt = { field_key: 'file', type: 'file', required: true };
const answer = (file: string) => readAnswers([prompt as never], { file });
const agents = createUserAgentParser();
const keys = (count: number, indent = '') =>
  Array.from({ length: count }, (_, index) => `${indent}k${index}: 1\n`).join('');

const samlKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const c14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** Signed by an unknown key, which only verifying it can tell. */
const signedSaml = (content: string) => `<r ID="x"><Signature xmlns="${dsig}"><SignedInfo>
  <CanonicalizationMethod Algorithm="${c14n}"/>
  <SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>
  <Reference URI="#x"><Transforms><Transform Algorithm="${dsig}enveloped-signature"/><Transform Algorithm="${c14n}"/></Transforms>
  <DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue>AAAA</DigestValue></Reference></SignedInfo>
  <SignatureValue>AAAA</SignatureValue></Signature>${content}</r>`;

/** What took seconds, or would with a careless parser. The faults that were found took six; these take milliseconds. */
const hostile: Readonly<Record<string, () => unknown>> = {
  'a form of names without values': () => readForm(Buffer.from('a&'.repeat(1_000_000))),
  'a form of escaped names': () => readForm(Buffer.from('%41&'.repeat(500_000))),
  'a file prompt of one long type': () => answer(`data:${'a'.repeat(1_900_000)}`),
  'a file prompt of many parameters': () => answer(`data:a/b${';a'.repeat(900_000)}`),
  'a blueprint of a megabyte of keys': () => readBlueprint(keys(100_000)),
  'a blueprint of as many keys as there is room for': () => readBlueprint(keys(12_000)),
  'a blueprint with the attributes of one entry too many': () =>
    readBlueprint(`version: 1\nentries:\n  - model: a\n    identifiers:\n${keys(7_000, '      ')}`),
  'a blueprint of many anchors': () => readBlueprint(`version: 1\nentries: [${'&a x, '.repeat(15_000)}]`),
  ...Object.fromEntries(
    [
      '[',
      '[ ',
      '[a,',
      '{a: ',
      '? ',
      '- ',
      '-\n',
      '}\n',
      '"',
      '!a !b ',
      'a: b: c\n',
      '---\n',
      '*a ',
      '- !KeyOf x\n',
    ].map((piece) => [
      `a blueprint of ${JSON.stringify(piece)} again and again`,
      () => readBlueprint(piece.repeat(Math.floor(131_072 / piece.length))),
    ]),
  ),
  'a user agent of repeated marks': () => agents.parse('Mozilla/5.0 ('.repeat(80) + '; '.repeat(400)),
  'an address of many dots': () => text({ format: 'email' }).parse(`a@${'a.'.repeat(100_000)}`),
  'an address of many hyphens': () => text({ format: 'email' }).parse(`a@${'a-'.repeat(100_000)}`),
  'a SAML request of many elements': () => verifySigned(readMessage(signedSaml('<b/>'.repeat(19_000))), [samlKey]),
  // A stranger's answer may be long, and a pair may hold several certificates.
  'a SAML answer of as many elements as there is room for': () =>
    verifySigned(readMessage(signedSaml('<b/>'.repeat(4_900)), responseLimits), [samlKey, samlKey, samlKey]),
  'a SAML request of many attributes': () =>
    verifySigned(
      readMessage(signedSaml(`<b${Array.from({ length: 60 }, (_, at) => ` a${at}=""`).join('')}/>`.repeat(1_000))),
      [samlKey],
    ),
  'a PEM block that does not end': () => readPem(`-----BEGIN CERTIFICATE-----\n${'A'.repeat(1_000_000)}`),
  'many PEM blocks that do not end': () => readPem('-----BEGIN CERTIFICATE-----\n'.repeat(50_000)),
  'an SVG behind many comments': () => imageTypeOf(Buffer.from('<!---->'.repeat(150_000))),
  'a long duration': () => parseDuration(' '.repeat(100_000)),
  'JSON nested deeply': () => json().parse(JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`)),
};

/** Renders statements and runs none. */
const builder = new Kysely<never>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Takes 0.07 s of CPU where nothing else runs. */
const knownWork = () =>
  JSON.parse(JSON.stringify(Array.from({ length: 50_000 }, (_, at) => ({ at, text: `k${at}` })))).sort(
    (one: { text: string }, other: { text: string }) => other.text.localeCompare(one.text, 'en'),
  );

describe('denial of service: hostile input', () => {
  test.each(Object.entries(hostile))('takes less than 0.25 s of CPU: %s', (_name, work) => {
    const seconds = processorSeconds(work);
    // On a busy machine everything takes longer, known work as well. It is not done again: its result may be
    // remembered.
    const isSlow = seconds >= 0.25;
    expect(seconds).toBeLessThan(isSlow ? 8 * processorSeconds(knownWork) : 0.25);
  });

  // A word of 14,000 zeros held up the server for 26 s, since the index was asked for each of its letters.
  test.each([
    '0'.repeat(14_000),
    'é'.repeat(7_000),
    Array.from({ length: 4_000 }, (_, at) => at.toString(36)).join(''),
  ])('a search index is asked for little of a long word', (word) => {
    const asked = sqliteDialect.rowsWithWords('users', ['name'], [word]).compile(builder);
    expect(String(asked.parameters[0]).length).toBeLessThan(1_000);
  });

  test('a form is read whole up to a thousand members', () => {
    expect(readForm(Buffer.from('a=1&b=%C3%A9&c')).toString()).toBe('a=1&b=%C3%A9&c=');
    expect(readForm(Buffer.from(`${'a=1&'.repeat(999)}b=2`)).get('b')).toBe('2');
    expect([...readForm(Buffer.from(`${'a=1&'.repeat(1_000)}b=2`))]).toEqual([]);
  });

  // A form of a million names held up the server for 40 s at every address that takes one.
  test('forms of strangers are read in one place', () => {
    const source = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const readers = files.filter((file) =>
      /URLSearchParams\([^)]*\bbody\b/.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(readers).toEqual(['lib/read-form.ts']);
  });

  test('SAML messages are bounded by their elements, those without an assertion closely', () => {
    const message = (elements: number) => `<a>${'<b/>'.repeat(elements - 1)}</a>`;
    expect(readMessage(message(500)).local).toBe('a');
    expect(() => readMessage(message(501))).toThrow('more than 500 elements');
    expect(readMessage(message(5_000), responseLimits).local).toBe('a');
    expect(() => readMessage(message(5_001), responseLimits)).toThrow('more than 5000 elements');
  });

  test('a duplicate key in a blueprint is refused', () => {
    expect(() => readBlueprint('version: 1\nversion: 1\nentries: []')).toThrow();
  });

  test('a blueprint that is too large is refused with the limit', () => {
    const refusal = (words: RegExp) =>
      expect.objectContaining({ complaints: { file: [expect.stringMatching(words)] } });
    expect(() => readBlueprint(keys(100_000))).toThrow(refusal(/too large: .* lines and elements, at most 65536/));
    expect(() => readBlueprint(`[${'1,'.repeat(70_000)}]`)).toThrow(refusal(/lines and elements, at most 65536/));
    expect(() => readBlueprint('x'.repeat(2_097_153))).toThrow(refusal(/characters, at most 2097152/));
  });

  test('__proto__ in a blueprint does not change the prototype of objects', () => {
    const text = 'version: 1\nentries: [{model: a, identifiers: {__proto__: {polluted: 1}}}]';
    const [entry] = readBlueprint(text);
    expect(Object.getPrototypeOf(entry?.identifiers)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

// Two megabytes of members took 0.4 s, and a network may send a thousand in a minute.
describeOnSqlite('denial of service: JSON of many parts', (server) => {
  const flow = '/flows/executor/default-authentication-flow/';
  const members = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, 1]));
  const many: Readonly<Record<string, string>> = {
    members: JSON.stringify(members),
    lists: `${'['.repeat(6_000)}${']'.repeat(6_000)}`,
    objects: `[${'{"a":'.repeat(6_000)}1`,
  };

  test.each(Object.keys(many))('of strangers is refused: %s', async (parts) => {
    const answer = await server().nobody.send('POST', flow, many[parts], { 'content-type': 'application/json' });
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
  });

  test('is read if it has few parts, or comes from a known sender', async () => {
    const { admin, nobody, user } = server();
    expect((await nobody.post(flow, { uid_field: 'x'.repeat(1_000_000) })).status).toBe(200);
    const { pk } = await user();
    expect((await admin.patch(`/core/users/${pk}/`, { attributes: members })).status).toBe(200);
  });
});

// Helpful messages about two megabytes of names took 6.6 s, and reading 150,000 members 1.7 s.
describeOnSqlite('denial of service: what users send', (server) => {
  const strict = { prefer: 'handling=strict' };
  const members = (count: number, name = 'k') =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 1]));
  const group = (attributes: unknown) => ({ name: 'Group of many', attributes });

  test.each<[what: string, allowed: unknown, refused: unknown]>([
    ['members', group(members(19_990)), group(members(20_001))],
    [
      'members of many objects',
      group({ x: Array(1_999).fill(members(10)) }),
      group({ x: Array(2_001).fill(members(10)) }),
    ],
    ['elements', group({ x: Array(199_990).fill(1) }), group({ x: Array(200_001).fill(1) })],
  ])('%s are counted before they are read', async (_, allowed, refused) => {
    const { admin } = server();
    expect((await admin.post('/core/groups/?dry_run=true', allowed)).status).toBe(201);
    const { status, body } = await admin.post('/core/groups/?dry_run=true', refused);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  test('of unknown members the first hundred are named, and twenty compared with those there are', async () => {
    const { status, body } = await server().admin.post('/core/groups/', members(500, 'attribute'), strict);
    const texts = Object.values<string[]>(body).flat();
    expect([status, texts.length]).toEqual([400, 100]);
    expect(texts.filter((text) => text.includes('Did you mean "attributes"?'))).toHaveLength(20);
    const nested = { redirect_uris: Array.from({ length: 500 }, () => ({ matching_mode: 'strict', ur: 'x' })) };
    const inner = await server().admin.post('/providers/oauth2/?dry_run=true', nested, strict);
    expect(Object.keys(inner.body.redirect_uris)).toHaveLength(100);
  });

  test('of unknown parameters, too', async () => {
    const query = new URLSearchParams(Array.from({ length: 300 }, (_, at) => [`k${at}`, '1']));
    const { status, body } = await server().admin.get(`/core/groups/?${query}`, strict);
    expect([status, Object.keys(body).length]).toEqual([400, 100]);
  });

  test('of wrong elements of a list the first hundred are named', async () => {
    const redirect_uris = Array.from({ length: 5_000 }, () => ({ matching_mode: 'nonsense', url: 'x' }));
    const { status, body } = await server().admin.post('/providers/oauth2/?dry_run=true', { redirect_uris });
    expect([status, Object.keys(body.redirect_uris).length]).toEqual([400, 100]);
  });
});
