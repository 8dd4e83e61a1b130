import { expect, test } from 'vitest';
import { asciiUri } from './ascii-uri.ts';

test.each([
  ["https://app.example/callback?a=%20b&c='d'#e", "https://app.example/callback?a=%20b&c='d'#e"],
  ['https://APP.example', 'https://APP.example'],
  ['https://bücher.example/straße?größe=1#ä', 'https://xn--bcher-kva.example/stra%C3%9Fe?gr%C3%B6%C3%9Fe=1#%C3%A4'],
  [
    'https://例え.テスト:8443/コールバック',
    'https://xn--r8jz45g.xn--zckzah:8443/%E3%82%B3%E3%83%BC%E3%83%AB%E3%83%90%E3%83%83%E3%82%AF',
  ],
  ['com.example.app:/zurück', 'com.example.app:/zur%C3%BCck'],
  ['/if/flow/größe/?next=%2Fü', '/if/flow/gr%C3%B6%C3%9Fe/?next=%2F%C3%BC'],
  ['https://app.example/😀 a', 'https://app.example/%F0%9F%98%80%20a'],
  ['https://app.example/\ud800', 'https://app.example/%EF%BF%BD'],
  ['/a\r\nb:c', '/a\r\nb:c'],
])('%s is sent as %s', (uri, sent) => {
  expect(asciiUri(uri)).toBe(sent);
});
