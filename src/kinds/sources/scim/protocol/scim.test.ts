import { describe, expect, it } from 'vitest';
import { parseFilter, parsePath } from './filter.ts';
import { matches } from './matches.ts';
import { applyPatch, readOperations } from './patch.ts';
import { ScimError } from './scim-error.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const dana = {
  userName: 'Dana',
  active: true,
  name: { givenName: 'Dana', familyName: 'Vo' },
  emails: [
    { value: 'dana@work.example', type: 'work', primary: true },
    { value: 'dana@home.example', type: 'home' },
  ],
  meta: { lastModified: '2026-01-02T03:04:05Z' },
  [enterprise]: { department: 'Doors', manager: { value: '7' } },
};

describe('SCIM filters (RFC 7644, section 3.4.2.2)', () => {
  it.each([
    ['userName eq "dana"', true],
    ['username EQ "DANA"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "da"', true],
    ['userName eq "else"', false],
    ['userName ne "else"', true],
    ['userName co "an" and active eq true', true],
    ['userName ew "x" or name.familyName eq "vo"', true],
    ['active eq false or active eq true and userName eq "x"', false],
    ['(active eq false or active eq true) and userName eq "dana"', true],
    ['not (userName eq "dana")', false],
    ['title pr', false],
    ['emails pr', true],
    ['emails.value eq "dana@home.example"', true],
    ['emails eq "dana@home.example"', true],
    ['emails[type eq "work" and value co "home"]', false],
    ['emails[type eq "home" and value co "home"]', true],
    ['meta.lastModified gt "2026-01-01T00:00:00Z"', true],
    ['meta.lastModified le "2026-01-01T00:00:00Z"', false],
    [`${enterprise}:department eq "doors"`, true],
    [`${enterprise}:manager.value eq "7"`, true],
    ['title eq null', true],
    ['userName eq "a\\"b"', false],
  ])('%s is %s', (filter, expected) => {
    expect(matches(parseFilter(filter), dana)).toBe(expected);
  });

  it.each([
    '',
    'userName',
    'userName eq',
    'userName eq dana',
    'userName is "dana"',
    'userName eq "dana',
    'userName eq "dana" and',
    '(userName eq "dana"',
    'userName eq "dana")',
    'emails[type eq "work"',
    'a.b.c pr',
    'userName eq {"a":1}',
    `${'('.repeat(100)}a pr${')'.repeat(100)}`,
    'a pr and '.repeat(1_000),
  ])('%s is refused as invalidFilter', (filter) => {
    expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }));
  });

  it('reads paths of PATCH with a filter and a member behind it', () => {
    expect(parsePath('emails[type eq "work"].value')).toMatchObject({
      attribute: 'emails',
      sub: 'value',
      filter: { is: 'compare' },
    });
    expect(parsePath(`${enterprise}:manager.value`)).toEqual({
      schema: enterprise,
      attribute: 'manager',
      sub: 'value',
      filter: null,
    });
    expect(() => parsePath('emails[type eq "work"] value')).toThrow(
      expect.objectContaining({ scimType: 'invalidPath' }),
    );
  });
});

const patched = (...Operations: unknown[]) => applyPatch(dana, readOperations({ Operations }));

describe('SCIM PATCH (RFC 7644, section 3.5.2)', () => {
  it('replaces, adds and removes attributes, and leaves the document it was given alone', () => {
    const before = structuredClone(dana);
    const after = patched(
      { op: 'Replace', path: 'ACTIVE', value: false },
      { op: 'add', path: 'title', value: 'Dr.' },
      { op: 'remove', path: 'name.givenName' },
    );
    expect(after).toMatchObject({ active: false, title: 'Dr.', name: { familyName: 'Vo' } });
    expect(after.name).not.toHaveProperty('givenName');
    expect(dana).toEqual(before);
  });

  it('takes the keys of the value as paths when there is none', () => {
    const value = { 'name.familyName': 'Wu', active: false, [enterprise]: { department: 'Keys' } };
    expect(patched({ op: 'replace', value })).toMatchObject({
      active: false,
      name: { givenName: 'Dana', familyName: 'Wu' },
      [enterprise]: { department: 'Keys', manager: { value: '7' } },
    });
  });

  it('changes the elements that a filter names', () => {
    const after = patched({ op: 'replace', path: 'emails[type eq "work"].value', value: 'd@x.example' });
    expect(after.emails).toEqual([
      { value: 'd@x.example', type: 'work', primary: true },
      { value: 'dana@home.example', type: 'home' },
    ]);
    expect(patched({ op: 'remove', path: 'emails[type eq "work"]' }).emails).toHaveLength(1);
    expect(patched({ op: 'remove', path: 'emails[value sw "dana"]' })).not.toHaveProperty('emails');
  });

  it('creates the element that a filter describes when there is none', () => {
    const after = patched({ op: 'add', path: 'emails[type eq "other"].value', value: 'o@x.example' });
    expect(after.emails).toContainEqual({ type: 'other', value: 'o@x.example' });
    expect(() => patched({ op: 'add', path: 'emails[type co "x"].value', value: 'o' })).toThrow(
      expect.objectContaining({ scimType: 'noTarget' }),
    );
  });

  it('appends to lists what is not there yet', () => {
    const group = { members: [{ value: '1' }] };
    const add = (value: unknown) =>
      applyPatch(group, readOperations({ Operations: [{ op: 'Add', path: 'members', value }] }));
    expect(add([{ value: '1' }, { value: '2' }]).members).toEqual([{ value: '1' }, { value: '2' }]);
    expect(add({ value: '2' }).members).toHaveLength(2);
  });

  it('removes members by filter and by value', () => {
    const group = { members: [{ value: '1' }, { value: '2' }] };
    const remove = (operation: object) =>
      applyPatch(group, readOperations({ Operations: [{ op: 'remove', ...operation }] }));
    expect(remove({ path: 'members[value eq "1"]' }).members).toEqual([{ value: '2' }]);
    expect(remove({ path: 'members', value: [{ value: '1' }] }).members).toEqual([{ value: '2' }]);
    expect(remove({ path: 'members' })).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['no operations', {}, 'invalidSyntax'],
    ['an unknown operation', { Operations: [{ op: 'move', path: 'a' }] }, 'invalidSyntax'],
    ['a removal without a path', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['a path that is no text', { Operations: [{ op: 'add', path: 1, value: 1 }] }, 'invalidPath'],
    ['a path that cannot be read', { Operations: [{ op: 'add', path: 'a[', value: 1 }] }, 'invalidPath'],
    ['a value without names and without a path', { Operations: [{ op: 'add', value: 1 }] }, 'invalidValue'],
    ['too many operations', { Operations: Array(1_001).fill({ op: 'remove', path: 'a' }) }, 'tooMany'],
  ])('refuses %s', (_name, body, scimType) => {
    expect(() => applyPatch(dana, readOperations(body))).toThrow(expect.objectContaining({ scimType }));
    expect(() => applyPatch(dana, readOperations(body))).toThrow(ScimError);
  });
});
