import { describe, expect, test } from 'vitest';
import type { StageRole } from '../executor/stage-kind.ts';
import { lintFlow } from './lint.ts';
import { type LintedFlow, type LintedGate, type LintedStep, outcomeOf } from './reach.ts';

const stage = (binding: string, roles: readonly StageRole[], more: Partial<LintedStep> = {}): LintedStep => ({
  ...{ binding, roles, mode: 'any', gates: [], evaluate_on_plan: false, re_evaluate_policies: true },
  ...more,
});
const who = stage('who', ['identifies']);
const password = stage('password', ['needs user', 'proves']);
const mail = stage('mail', ['needs user', 'mails', 'proves']);
const factor = stage('factor', ['asks for device', 'identifies']);
const strictFactor = stage('factor', ['asks for device', 'identifies', 'demands device', 'proves']);
const login = stage('login', ['needs user', 'signs in']);
const logout = stage('logout', ['signs out']);
const deny = stage('deny', ['turns away']);
const ask = stage('ask', []);
const write = stage('write', ['needs user', 'writes user']);
const enrol = stage('enrol', ['identifies', 'writes user', 'creates user']);
const invitation = stage('invitation', ['takes invitation']);
const consent = stage('consent', ['asks consent']);

const gate = (decides: boolean | null, more: Partial<LintedGate> = {}): LintedGate => ({
  ...{ decides, negate: false, isAboutPerson: false },
  ...more,
});
const depends = gate(null);
const never = gate(false);
const group = gate(null, { isAboutPerson: true });
const emptyGroup = gate(false, { isAboutPerson: true });
const gated = (step: LintedStep, ...gates: readonly LintedGate[]): LintedStep => ({ ...step, gates });

const flow = (designation: string, steps: readonly LintedStep[], more: Partial<LintedFlow> = {}): LintedFlow => ({
  ...{ designation, steps, authentication: 'none', isSignIn: false, isOfSource: false, mode: 'any', gates: [] },
  ...more,
});

const signIn = [who, password, login];

test.each<[string, LintedFlow, readonly string[]]>([
  ['a sign-in', flow('authentication', signIn, { isSignIn: true }), []],
  ['a sign-in whose password depends', flow('authentication', [who, gated(password, depends), login]), []],
  ['a sign-in by passkey alone', flow('authentication', [strictFactor, login]), []],
  ['a sign-in that a source starts', flow('authentication', [factor, login], { isOfSource: true }), []],
  ['a recovery', flow('recovery', [gated(who, depends), mail, factor, ask, write, login]), []],
  ['a recovery by a device', flow('recovery', [who, stage('factor', ['asks for device', 'proves']), write]), []],
  ['an enrolment by invitation', flow('enrollment', [invitation, ask, enrol, login]), []],
  ['an enrolment with a confirmed address', flow('enrollment', [ask, mail, ask, enrol, login]), []],
  ['an enrolment behind a gate', flow('enrollment', [ask, enrol, login], { gates: [depends] }), []],
  ['an authorization without stages', flow('authorization', []), []],
  ['an authorization with consent', flow('authorization', [consent]), []],
  ['a sign-out', flow('invalidation', [logout]), []],
  ['a set-up', flow('stage_configuration', [password, ask, write]), []],
  ['a set-up that signs in', flow('stage_configuration', [ask, write, login]), []],

  ['no stages to sign in', flow('authentication', []), ['no-login']],
  ['no login', flow('authentication', [who, password]), ['no-login']],
  ['no login for a brand', flow('authentication', [who], { isSignIn: true }), ['locks-out', 'no-login']],
  [
    'a login that nobody comes to',
    flow('authentication', [who, password, gated(login, never)]),
    ['no-login', 'login never-shown'],
  ],
  [
    'a denial',
    flow('authentication', [deny, ...signIn], { isSignIn: true }),
    [
      'locks-out',
      'no-login',
      'deny turns-everybody-away',
      'who unreachable',
      'password unreachable',
      'login unreachable',
    ],
  ],
  ['a denial of some', flow('authentication', [gated(deny, depends), ...signIn]), []],
  [
    'gates that let nobody in',
    flow('authentication', signIn, { gates: [never], isSignIn: true }),
    ['locks-out', 'lets-nobody-in', 'no-login', 'who unreachable', 'password unreachable', 'login unreachable'],
  ],
  [
    'a group at the gate of a flow for strangers',
    flow('recovery', [who, mail, write], { gates: [group] }),
    ['lets-nobody-in', 'only-by-link', 'who unreachable', 'mail unreachable', 'write unreachable'],
  ],
  ['a group where people are signed in', flow('stage_configuration', [ask], { gates: [group] }), []],
  [
    'an empty group where people are signed in',
    flow('stage_configuration', [gated(ask, emptyGroup)]),
    ['ask never-shown'],
  ],
  ['a group before identification', flow('authentication', [gated(ask, group), ...signIn]), ['ask never-shown']],
  ['a group after identification', flow('authentication', [who, gated(ask, group), password, login]), []],
  [
    'a group asked at the start only',
    flow('authentication', [
      who,
      { ...gated(ask, group), evaluate_on_plan: true, re_evaluate_policies: false },
      password,
      login,
    ]),
    ['ask never-shown'],
  ],
  [
    'a sign-in for those who are in',
    flow('authentication', signIn, { authentication: 'require_superuser' }),
    ['closed-to-anonymous'],
  ],
  ['a password before a name', flow('authentication', [password, who, login]), ['password unknown-person']],
  ['a login without a name', flow('authentication', [login]), ['login unknown-person']],
  ['a password after signing out', flow('invalidation', [logout, password]), ['password unknown-person']],
  ['a name alone', flow('authentication', [who, login]), ['login unproven']],
  ['a name and a device that can be skipped', flow('authentication', [who, factor, login]), ['login unproven']],
  ['a device after the login', flow('authentication', [...signIn, factor]), ['factor checked-too-late']],
  [
    'a device that not everybody has',
    flow('authentication', [who, password, strictFactor, login]),
    ['factor no-device'],
  ],
  [
    'a device that is set up before',
    flow('authentication', [who, password, stage('setup', ['needs user', 'sets up device']), strictFactor, login]),
    [],
  ],
  ['an enrolment that writes nobody', flow('enrollment', [invitation, ask]), ['no-account']],
  ['an open enrolment', flow('enrollment', [ask, enrol, login]), ['open-enrolment']],
  ['a recovery without proof', flow('recovery', [who, ask, write, login]), ['write unproven']],
  ['a recovery that mails too late', flow('recovery', [who, ask, write, mail]), ['write unproven']],
  ['a recovery without a name', flow('recovery', [mail, ask, write]), ['only-by-link']],
  ['a sign-out without end', flow('invalidation', [ask]), ['no-sign-out']],
  ['consent to nothing', flow('authentication', [...signIn, consent]), ['consent consent-elsewhere']],
  ['a sign-out while signing in', flow('authentication', [logout, ...signIn]), ['logout sign-out-elsewhere']],
  ['a sign-in while authorizing', flow('authorization', [login]), ['login sign-in-elsewhere']],
  ['an invitation to sign in', flow('authentication', [invitation, ...signIn]), ['invitation invitation-elsewhere']],
])('the linter of flows judges %s', (_name, linted, expected) => {
  const found = lintFlow(linted).map(({ binding, code }) => (binding === null ? code : `${binding} ${code}`));
  expect(found).toEqual(expected);
});

describe('gates together', () => {
  const yes = gate(true);
  test.each<[string, 'any' | 'all', readonly LintedGate[], string]>([
    ['none', 'any', [], 'always'],
    ['one that passes of any', 'any', [never, yes, depends], 'always'],
    ['none that passes of any', 'any', [never, never], 'never'],
    ['one that may pass of any', 'any', [never, depends], 'sometimes'],
    ['one that fails of all', 'all', [yes, never, depends], 'never'],
    ['all that pass', 'all', [yes, yes], 'always'],
    ['all that may pass', 'all', [yes, depends], 'sometimes'],
    ['a negated one', 'any', [gate(true, { negate: true })], 'never'],
    ['a negated group of strangers', 'any', [gate(null, { negate: true, isAboutPerson: true })], 'always'],
  ])('%s', (_name, mode, gates, expected) => {
    expect(outcomeOf({ mode, gates }, false)).toBe(expected);
  });
});
