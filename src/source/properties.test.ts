import { expect, test } from 'vitest';
import { userPath } from './properties.ts';

test.each([
  ['gatehouse/sources/%(slug)s', 'gatehouse/sources/media'],
  ['%(slug)s', 'media'],
  ['a/%(slug)s/%(slug)s', 'a/media/media'],
  ['fixed', 'fixed'],
  ['a hundred%%/b', 'a hundred%/b'],
  ['%%(slug)s', '%(slug)s'],
  ['%(name)s', 'users'],
  ['%s', 'users'],
  ['50%', 'users'],
  ['%(slug)d', 'users'],
  ['/leading', 'users'],
  ['trailing/', 'users'],
  ['a//b', 'users'],
  ['a/ /b', 'users'],
])('the path template %s is filled in as %s', (user_path_template, path) => {
  expect(userPath({ user_path_template, slug: 'media' })).toBe(path);
});
