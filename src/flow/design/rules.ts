import type { StageRole } from '../executor/stage-kind.ts';
import type { Finding } from './finding.ts';
import {
  anonymousDesignations,
  isReached,
  type LintedFlow,
  outcomeOf,
  type ReachedStep,
  startsWithUser,
} from './reach.ts';

/** A flow as rules read it. */
export class Reading {
  readonly flow: LintedFlow;
  readonly steps: readonly ReachedStep[];
  /** The reachable steps. */
  readonly reached: readonly ReachedStep[];

  constructor(flow: LintedFlow, steps: readonly ReachedStep[]) {
    this.flow = flow;
    this.steps = steps;
    this.reached = steps.filter(isReached);
  }

  isFor(...designations: readonly string[]): boolean {
    return designations.includes(this.flow.designation);
  }

  has(role: StageRole): boolean {
    return this.reached.some(({ roles }) => roles.includes(role));
  }

  /** The bindings of the reached steps with a role. */
  with(role: StageRole): string[] {
    return this.reached.filter(({ roles }) => roles.includes(role)).map(({ binding }) => binding);
  }

  before(step: ReachedStep): readonly ReachedStep[] {
    return this.reached.slice(0, this.reached.indexOf(step));
  }

  get isClosed(): boolean {
    return outcomeOf(this.flow, startsWithUser(this.flow)) === 'never';
  }

  /** Whether anonymous visitors are denied a flow that is meant for them. */
  get isClosedToAnonymous(): boolean {
    const { designation, authentication } = this.flow;
    return anonymousDesignations.has(designation) && !/^(none|require_unauthenticated)$/.test(authentication);
  }
}

interface Rule extends Omit<Finding, 'binding'> {
  /** The stage bindings it applies to; null for the flow as a whole. */
  readonly where: (reading: Reading) => readonly (string | null)[];
}

const whole = (applies: boolean): null[] => (applies ? [null] : []);
const whenElsewhere = (role: StageRole, ...designations: readonly string[]) => ({
  where: (reading: Reading) => (reading.isFor(...designations) ? [] : reading.with(role)),
});

/** A device authenticates a user if it also identifies them, or if users without one are denied. */
const proves = ({ roles, isUserKnown }: ReachedStep): boolean =>
  roles.includes('proves') || (roles.includes('asks for device') && !isUserKnown);

export const rules: readonly Rule[] = [
  {
    code: 'locks-out',
    severity: 'error',
    message: 'Nobody can sign in any more: a brand uses this flow for signing in.',
    advice: 'Fix the other findings before you sign out, or choose another flow in the brand.',
    where: (reading) =>
      whole(reading.flow.isSignIn && (!reading.has('signs in') || reading.isClosed || reading.isClosedToAnonymous)),
  },
  {
    code: 'lets-nobody-in',
    severity: 'error',
    message: 'The gates of this flow deny everybody.',
    advice: 'Change or remove them. Groups and single people are known only after a stage has identified the person.',
    where: (reading) => whole(reading.isClosed),
  },
  {
    code: 'no-login',
    severity: 'error',
    message: 'Nobody is signed in by this flow: no login stage is reached.',
    advice: 'Add a user login stage at the end.',
    where: (reading) => whole(reading.isFor('authentication') && !reading.has('signs in')),
  },
  {
    code: 'unproven',
    severity: 'error',
    message: 'Anyone who knows a username gets this far: no earlier stage authenticates the user.',
    advice: 'Add an earlier stage that checks a password or a device, or that mails a link.',
    where(reading) {
      if (!reading.isFor('authentication', 'recovery') || startsWithUser(reading.flow)) return [];
      const [first] = reading.reached.filter(
        ({ roles }) => roles.includes('signs in') || roles.includes('writes user'),
      );
      return first?.isUserKnown && !reading.before(first).some(proves) ? [first.binding] : [];
    },
  },
  {
    code: 'checked-too-late',
    severity: 'error',
    message: 'Users are already signed in before this check runs, so they can skip it.',
    advice: 'Move it before the login stage.',
    where: (reading) =>
      reading.reached
        .filter(({ roles }) => roles.includes('proves') || roles.includes('asks for device'))
        .filter(() => reading.isFor('authentication', 'recovery'))
        .filter((step) => reading.before(step).some(({ roles }) => roles.includes('signs in')))
        .map(({ binding }) => binding),
  },
  {
    code: 'unknown-person',
    severity: 'error',
    message: 'No earlier stage identifies the user.',
    advice: 'Add an identification stage before it.',
    where: (reading) =>
      // A recovery flow without identification is for links, which identify the user.
      reading.isFor('recovery') && !reading.has('identifies')
        ? []
        : reading.reached
            .filter(({ roles, isUserKnown }) => roles.includes('needs user') && !isUserKnown)
            .filter(({ roles }) => !(roles.includes('mails') && reading.isFor('enrollment')))
            .map(({ binding }) => binding),
  },
  {
    code: 'no-account',
    severity: 'error',
    message: 'Nobody gets an account: no stage creates the user.',
    advice: 'Add a user write stage that may create users.',
    where: (reading) => whole(reading.isFor('enrollment') && !reading.has('creates user')),
  },
  {
    code: 'no-sign-out',
    severity: 'error',
    message: 'Users stay signed in after this flow.',
    advice: 'Add a user logout stage.',
    where: (reading) => whole(reading.isFor('invalidation') && !reading.has('signs out')),
  },
  {
    code: 'closed-to-anonymous',
    severity: 'warning',
    message: 'Only signed-in users may begin this flow, but it is meant for users who are not signed in.',
    advice: 'Change its setting “Authentication”.',
    where: (reading) => whole(reading.isClosedToAnonymous),
  },
  {
    code: 'only-by-link',
    severity: 'warning',
    message: 'Users cannot start this flow on their own: no stage identifies them.',
    advice: 'Add an identification stage at the beginning, unless only administrators send links to it.',
    where: (reading) => whole(reading.isFor('recovery') && !reading.has('identifies')),
  },
  {
    code: 'turns-everybody-away',
    severity: 'warning',
    message: 'This stage denies everybody.',
    advice: 'Bind a gate to it that picks whom to turn away, change its settings, or remove it.',
    where: ({ steps }) =>
      steps
        .filter(({ roles, reach }) => reach === 'always' && roles.includes('turns away'))
        .map(({ binding }) => binding),
  },
  {
    code: 'unreachable',
    severity: 'warning',
    message: 'Nobody reaches this stage: the flow ends before it.',
    advice: 'Move it up, or remove it.',
    where: ({ steps }) => steps.filter(({ reach }) => reach === 'ended').map(({ binding }) => binding),
  },
  {
    code: 'never-shown',
    severity: 'warning',
    message: 'Nobody reaches this stage: its gates always deny.',
    advice: 'Change or remove them. Groups and single people are known only after a stage has identified the person.',
    where: ({ steps }) => steps.filter(({ reach }) => reach === 'never').map(({ binding }) => binding),
  },
  {
    code: 'no-device',
    severity: 'warning',
    message: 'Users without a device are denied here and cannot set one up.',
    advice: 'Let the stage offer set-up stages to those who have none, or make sure that everybody has a device.',
    where: (reading) =>
      reading.reached
        .filter(({ roles, isUserKnown }) => roles.includes('demands device') && isUserKnown)
        .filter((step) => !reading.before(step).some(({ roles }) => roles.includes('sets up device')))
        .map(({ binding }) => binding),
  },
  {
    code: 'consent-elsewhere',
    severity: 'warning',
    message: 'This stage asks for consent to an application, and no application starts this flow.',
    advice: 'Use it in a flow for authorization.',
    ...whenElsewhere('asks consent', 'authorization'),
  },
  {
    code: 'sign-out-elsewhere',
    severity: 'warning',
    message: 'This stage signs people out, and this flow is not for that.',
    advice: 'Use it in a flow for signing out.',
    ...whenElsewhere('signs out', 'invalidation', 'unenrollment'),
  },
  {
    code: 'sign-in-elsewhere',
    severity: 'warning',
    message: 'This stage signs people in, and this flow is not for that.',
    advice: 'Use it in a flow for signing in, enrollment or recovery.',
    ...whenElsewhere('signs in', 'authentication', 'enrollment', 'recovery', 'stage_configuration'),
  },
  {
    code: 'invitation-elsewhere',
    severity: 'warning',
    message: 'This stage asks for an invitation, and this flow is not for enrollment.',
    advice: 'Use it in a flow for enrollment.',
    ...whenElsewhere('takes invitation', 'enrollment'),
  },
  {
    code: 'open-enrolment',
    severity: 'info',
    message: 'Anyone can create an account here.',
    advice: 'If that is not what you want, add an invitation stage, or bind a gate to the flow.',
    where: (reading) =>
      whole(
        reading.isFor('enrollment') &&
          reading.has('creates user') &&
          !reading.flow.isOfSource &&
          reading.flow.gates.length === 0 &&
          !reading.has('takes invitation') &&
          !reading.has('keeps programs out') &&
          !reading.has('proves'),
      ),
  },
];
