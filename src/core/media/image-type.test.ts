import { expect, test } from 'vitest';
import { imageTypeOf } from './image-type.ts';

const typeOf = (text: string) => imageTypeOf(Buffer.from(text, 'latin1'))?.extension ?? null;

test('images are known by their first bytes', () => {
  expect(typeOf('\x89PNG\r\n\x1a\n…')).toBe('png');
  expect(typeOf('\xff\xd8\xff\xe0')).toBe('jpg');
  expect(typeOf('GIF89a')).toBe('gif');
  expect(typeOf('RIFF\x00\x00\x00\x00WEBPVP8 ')).toBe('webp');
  expect(typeOf('\x00\x00\x01\x00\x01\x00')).toBe('ico');
});

test('an SVG may begin with a declaration, comments and the plain document type', () => {
  const root = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
  for (const text of [
    root,
    `\n ${root}`,
    '<svg>',
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a > b -->\n${doctype}<!-- c -->${root}`,
  ]) {
    expect([text, typeOf(text)]).toEqual([text, 'svg']);
  }
  expect(imageTypeOf(Buffer.from(`\ufeff${root}`))?.extension).toBe('svg');
});

test('other documents are no images', () => {
  for (const text of [
    '',
    'RIFF\x00\x00\x00\x00WAVE',
    'GIF80a',
    '<html><svg/></html>',
    '<!DOCTYPE html><svg/>',
    '<svgx/>',
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>',
    '<!-- never closed <svg/>',
    '<?xml version="1.0"?>',
    'text before <svg/>',
    '\xff\xfe<\x00s\x00v\x00g\x00',
  ]) {
    expect([text, typeOf(text)]).toEqual([text, null]);
  }
});
