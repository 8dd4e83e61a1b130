import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BerError, encode, encodeText } from '../../src/lib/ldap/ber.ts';
import { escapeDnValue, formatDn, isSameDn, normalizeDnText, parseDn } from '../../src/lib/ldap/dn.ts';
import { readMessage } from '../../src/lib/ldap/message.ts';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../support/ldap-directory.ts';
import { bindMessage, connectWire, present, searchMessage } from '../support/ldap-wire.ts';
import { describeOnBoth } from '../support/server.ts';

/** The same seed makes the same messages: GATEHOUSE_FUZZ_SEED tries others, GATEHOUSE_FUZZ_RUNS tries more. */
const seed = Number(process.env.GATEHOUSE_FUZZ_SEED ?? 20_261_115);
const runs = Number(process.env.GATEHOUSE_FUZZ_RUNS ?? 1);

const attribute = fc.constantFrom('cn', 'memberOf', 'uidNumber', 'objectClass', 'mail', 'x;lang-de', '2.5.4.3');
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(`cn=a,ou=users,${base}`, '99999999999999999999', '%', '\0', '\\', '*', 'TRUE'),
);
const pair = (tag: number) =>
  fc.tuple(attribute, value).map(([name, text]) => encode(tag, encodeText(name), encodeText(text)));
const filter = fc.letrec<{ filter: Buffer }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 6 },
    attribute.map(present),
    ...[0xa3, 0xa5, 0xa6, 0xa8].map(pair),
    fc
      .tuple(attribute, fc.array(value, { minLength: 1, maxLength: 4 }))
      .map(([name, parts]) =>
        encode(0xa4, encodeText(name), encode(0x30, ...parts.map((part) => encodeText(part, 0x81)))),
      ),
    fc
      .tuple(attribute, value, fc.constantFrom('1.2.840.113556.1.4.803', 'caseExactMatch', 'x'))
      .map(([name, text, rule]) =>
        encode(0xa9, encodeText(rule, 0x81), encodeText(name, 0x82), encodeText(text, 0x83)),
      ),
    fc.array(tie('filter'), { maxLength: 4 }).map((parts) => encode(0xa0, ...parts)),
    fc.array(tie('filter'), { maxLength: 4 }).map((parts) => encode(0xa1, ...parts)),
    tie('filter').map((part) => encode(0xa2, part)),
  ),
})).filter;
const search = fc
  .tuple(filter, fc.integer({ min: 0, max: 3 }))
  .map(([one, scope]) => searchMessage(2, base, { filter: one, scope }));

/** A message with some of its bytes changed, left out or repeated. */
const damaged = fc
  .tuple(
    search,
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { minLength: 1, maxLength: 5 }),
  )
  .map(([bytes, changes]) => {
    const list = [...bytes];
    for (const [where, byte, how] of changes) {
      const at = where % list.length;
      if (how === 0) list[at] = byte;
      else list.splice(at, how === 1 ? 1 : 0, ...(how === 2 ? [byte] : []));
    }
    return Buffer.from(list);
  });

describe('LDAP parsers', () => {
  test('read any bytes as a message, or refuse them', () => {
    const property = fc.property(
      fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        damaged,
      ),
      (bytes) => {
        try {
          readMessage(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(BerError);
        }
      },
    );
    fc.assert(property, { seed, numRuns: 5_000 * runs });
  });

  test('read what they are given as a filter', () => {
    const property = fc.property(search, (bytes) => {
      expect(readMessage(bytes).operation.op).toBe('search');
    });
    fc.assert(property, { seed, numRuns: 2_000 * runs });
  });

  test('read any text as a name, or refuse it; names keep their parts', () => {
    const part = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
    const anything = fc.property(fc.oneof(part, fc.stringMatching(/^(?:[a-z,+=\\" #0-9]){0,30}$/)), (text) => {
      const dn = parseDn(text);
      if (!dn) return;
      const again = parseDn(formatDn(dn));
      expect(again !== null && isSameDn(again, dn)).toBe(true);
    });
    fc.assert(anything, { seed, numRuns: 5_000 * runs });
    const escaped = fc.property(part, (text) => {
      if (text.includes('\ufffd') || !text.isWellFormed()) return;
      const dn = parseDn(`cn=${escapeDnValue(text)},${base}`);
      expect(dn?.[0]?.[0]?.value).toBe(text);
      expect(dn).toHaveLength(4);
      expect(normalizeDnText(`cn=${escapeDnValue(text)},${base}`)).not.toBeNull();
    });
    fc.assert(escaped, { seed, numRuns: 5_000 * runs });
  });
});

describeOnBoth(
  'the LDAP server',
  (server) => {
    let directory: Directory;
    beforeAll(async () => {
      directory = await makeDirectory(server());
      await directory.service('reader');
    });

    /** The result of a search; null if the connection was closed on it. */
    async function ask(bytes: Buffer): Promise<number | null> {
      const wire = await connectWire(directory.url);
      wire.send(bindMessage(1, directory.dnOf('reader'), password), bytes, searchMessage(7, '', { scope: 0 }));
      const answer = await wire
        .answer(({ id, operation }) => (id === 2 && operation === 5) || (id === 7 && operation === 5) || id === 0)
        .catch(() => null);
      wire.socket.destroy();
      return answer?.code ?? null;
    }

    test('answers every filter', async () => {
      await directory.change({ bind_mode: 'cached' });
      const property = fc.asyncProperty(filter, async (one) => {
        expect(await ask(searchMessage(2, base, { filter: one }))).toBe(0);
      });
      await fc.assert(property, { seed, numRuns: 150 * runs });
    });

    test('answers what is damaged with an error of the protocol, and goes on', async () => {
      const property = fc.asyncProperty(damaged, async (bytes) => {
        // 80 would be a fault of the server.
        expect(await ask(bytes)).not.toBe(80);
      });
      await fc.assert(property, { seed, numRuns: 100 * runs });
      expect((await server().admin.get('/core/users/me/')).status).toBe(200);
    });
  },
  { env: ldapPorts },
);
