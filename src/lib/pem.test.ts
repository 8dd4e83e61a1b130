import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPem, writePem } from './pem.ts';

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);

test('a written PEM block is read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (content) => {
      expect(readPem(writePem('CERTIFICATE', content))).toEqual([{ label: 'CERTIFICATE', bytes: content }]);
    }),
  );
});

test('lines are 64 characters wide and the text ends with a new line', () => {
  const lines = writePem('CERTIFICATE', bytes).split('\n');
  expect(lines[0]).toBe('-----BEGIN CERTIFICATE-----');
  expect(lines[1]).toHaveLength(64);
  expect(lines.slice(-2)).toEqual(['-----END CERTIFICATE-----', '']);
});

test('blocks are found between other text, whatever ends the lines', () => {
  const text = `Bag Attributes\n  friendlyName: x\n${writePem('CERTIFICATE', bytes)}\nnoise\n${writePem('PRIVATE KEY', bytes)}`;
  const expected = [
    { label: 'CERTIFICATE', bytes },
    { label: 'PRIVATE KEY', bytes },
  ];
  expect(readPem(text)).toEqual(expected);
  expect(readPem(text.replaceAll('\n', '\r\n'))).toEqual(expected);
  expect(readPem(text.replaceAll('\n', '  \n\n '))).toEqual(expected);
  expect(readPem(text.trim())).toEqual(expected);
});

test.each([
  ['-----BEGIN A-----\nAAA\n-----END A-----'],
  ['-----BEGIN A-----\nA*==\n-----END A-----'],
  ['-----BEGIN A-----\nAA==AAAA\n-----END A-----'],
  ['-----BEGIN A-----\n-----END A-----'],
  ['-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END A-----'],
])('a block without plain base64 is there but cannot be read: %j', (text) => {
  expect(readPem(text)).toEqual([{ label: 'A', bytes: null }]);
});

test.each([
  [''],
  ['AAAA'],
  ['-----BEGIN A-----\nAAAA'],
  ['-----BEGIN A-----\nAAAA\n-----END B-----'],
  ['-----END A-----\nAAAA\n-----END A-----'],
  ['-----BEGIN A----- AAAA -----END A-----'],
  ['----BEGIN A-----\nAAAA\n-----END A-----'],
])('the text %j holds no PEM block', (text) => {
  expect(readPem(text)).toEqual([]);
});

test('an unterminated PEM block does not hide the next one', () => {
  expect(readPem(`-----BEGIN A-----\nAAAA\n${writePem('B', bytes)}`)).toEqual([{ label: 'B', bytes }]);
});

test('a large text of many PEM headers is read quickly', () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `-----BEGIN A${index}-----`).join('\n');
  const start = process.threadCpuUsage();
  expect(readPem(text)).toEqual([]);
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(2000);
});
