import { applicationFace } from '../../../core/application/application-face.ts';
import { flowPage } from '../../../flow/executor/challenge.ts';
import { flowSlug } from '../../../flow/executor/flow-reads.ts';
import { setNamedUser } from '../../../flow/executor/flow-state.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import {
  ask,
  defineStageKind,
  type Move,
  next,
  type StageKind,
  type Step,
  type Write,
} from '../../../flow/executor/stage-kind.ts';
import {
  failedToAuthenticate,
  lockedOutMessage,
  unavailableMessage,
  withTriesLeft,
  wrongCredentials,
} from '../../../flow/passwords/attempt-messages.ts';
import {
  type PasswordDependencies,
  type PasswordSettings,
  verifyPassword,
} from '../../../flow/passwords/verify-password.ts';
import { recoveryUrl } from '../../../flow/recovery-url.ts';
import type { Words } from '../../../lib/texts/message.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import {
  arrayOf,
  booleanSchema,
  type JsonSchema,
  orNull,
  stringSchema,
} from '../../../resource/document/json-schema.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource, RowOf } from '../../../resource/resource.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { findUser } from './find-user.ts';
import { identificationStage, passwordModel } from './identification-stage.resource.ts';
import { needsOfOffered, offeredSchema, offeredSources } from './offered-sources.ts';
import { previewEndpoint, type ScreenContext } from './preview.endpoint.ts';

type Settings = RowOf<typeof identificationStage>;

interface IdentificationStageNeeds extends PasswordDependencies {
  readonly sourceKinds: readonly SourceKind[];
  readonly policies: PolicyEngine;
}

const sometimes = ['application_pre', 'application_icon', 'enroll_url', 'recovery_url', 'passwordless_url'];

/** Identifies the user whom the flow is about. */
export function identification(needs: IdentificationStageNeeds): StageKind {
  const challenge = {
    user_fields: orNull(arrayOf(stringSchema)),
    password_fields: booleanSchema,
    allow_show_password: booleanSchema,
    flow_designation: stringSchema,
    application_pre: stringSchema,
    application_icon: stringSchema,
    enroll_url: stringSchema,
    recovery_url: stringSchema,
    passwordless_url: stringSchema,
    primary_action: stringSchema,
    sources: arrayOf(offeredSchema(needs.sourceKinds)),
    show_source_labels: booleanSchema,
  };
  const required = Object.keys(challenge).filter((name) => !sometimes.includes(name));
  const screenSchema: JsonSchema = { type: 'object', properties: challenge, required };
  return defineStageKind({
    resource: identificationStage,
    component: 'xak-stage-identification',
    allowsImpersonation: true,
    roles({ user_fields, sources, passwordless_flow, password_stage }) {
      const isEmpty = user_fields.length === 0 && sources.length === 0 && passwordless_flow === null;
      if (isEmpty) return ['turns away'];
      return password_stage === null ? ['identifies'] : ['identifies', 'proves'];
    },
    challenge,
    sometimes,
    answer: {
      uid_field: text({ max: 254 }),
      password: text({ trim: false, strict: true, blank: true, nullable: true, default: null, writeOnly: true }),
    },
    show: async (step) => ask(() => challengeOf(needs, step)),
    pageNeeds: (stages, query) => needsOfOffered(needs.sourceKinds, stages, query),
    verifyRegistration: (step, { uid_field, password }) => checkCredentials(needs, step, uid_field, password ?? ''),
    endpoints: [previewEndpoint(screenSchema, (context) => screenOf(needs, context, null))],
  });
}

async function challengeOf(needs: IdentificationStageNeeds, step: Step<Settings>): Promise<Row> {
  const { call, query } = step;
  const screen = await screenOf(needs, step, await recoveryUrl(step, step.settings.recovery_flow));
  // The application that people sign in for, where one has sent them.
  const { publicHost } = call.world;
  const waiting =
    query.application === undefined ? null : await applicationFace(call.db.read, query.application, publicHost);
  if (waiting === null) return screen;
  return { ...screen, application_pre: waiting.name, ...(waiting.icon && { application_icon: waiting.icon }) };
}

async function screenOf(
  needs: IdentificationStageNeeds,
  context: ScreenContext,
  recovery_url: string | null,
): Promise<Row> {
  const { settings, flow, call } = context;
  const password = settings.password_stage === null ? null : await loadPassword(context, settings.password_stage);
  return {
    user_fields: settings.user_fields,
    password_fields: password !== null,
    allow_show_password: password?.allow_show_password ?? false,
    flow_designation: flow.designation,
    primary_action: flow.designation === 'authentication' && password ? 'Log in' : 'Continue',
    ...(recovery_url && { recovery_url }),
    ...(hasLinks(settings) && (await links(context))),
    sources: settings.sources.length === 0 ? [] : await offeredSources(needs, settings.sources, call),
    show_source_labels: settings.show_source_labels,
  };
}

async function checkCredentials(
  needs: PasswordDependencies,
  step: Step<Settings>,
  name: string,
  password: string,
): Promise<Move> {
  const { call, settings, context } = step;
  const members = settings.user_fields;
  const user = await findUser(call, name, members, settings.case_insensitive_matching);
  setNamedUser(context, name, user?.pk ?? null);
  context.show_matched_user = settings.show_matched_user;
  if (settings.recovery_flow !== null) context.recovery_flow = settings.recovery_flow;
  if (settings.password_stage === null) {
    const goesOn = user !== null || settings.pretend_user_exists;
    if (goesOn && members.length > 0) return next();
    const attempt = { identifier: name, ip: call.request.clientIp, by: -1, now: call.now };
    const write: Write = (tx, failed) => needs.noteAttempt(tx, attempt, failed);
    return { ...clearUser(step, { non_field_errors: [failedToAuthenticate] }), write };
  }
  if (password === '') return clearUser(step, { password: ['This field may not be blank.'] });
  const stage = await loadPassword(step, settings.password_stage);
  const verdict = await verifyPassword(needs, step, stage, password);
  if (verdict.outcome === 'blocked') {
    const recovery = await recoveryUrl(step, settings.recovery_flow);
    return clearUser(step, { non_field_errors: [lockedOutMessage(verdict.waitMs, recovery !== null)] });
  }
  if (verdict.outcome === 'unavailable') return clearUser(step, { non_field_errors: [unavailableMessage] });
  if (verdict.outcome === 'wrong') {
    const complaint = withTriesLeft(wrongCredentials, verdict.left);
    return { ...clearUser(step, { non_field_errors: [complaint] }), write: verdict.write };
  }
  context.auth_method = verdict.method;
  return next(verdict.write, verdict.cookies);
}

/** Stays, and forgets the user whom the response named. */
function clearUser({ context }: Pick<Step, 'context'>, errors: Record<string, Words[]>) {
  setNamedUser(context, null, null);
  return { move: 'stay', errors } as const;
}

function loadPassword({ engine, call }: Pick<ScreenContext, 'engine' | 'call'>, pk: string) {
  // Kinds do not import each other; `verifyPassword` states which settings it needs.
  const resource = engine.registry.require(passwordModel) as Resource<PasswordSettings>;
  return loadStage(engine, resource, pk, call);
}

/** Without a recovery flow of its own, the stage offers the brand's. */
const hasLinks = ({ enrollment_flow, recovery_flow, passwordless_flow }: Settings): boolean =>
  enrollment_flow !== null || recovery_flow !== null || passwordless_flow !== null;

/** Links for people who cannot or need not sign in here. */
async function links({ settings, call }: ScreenContext): Promise<Row> {
  const { enrollment_flow, recovery_flow, passwordless_flow } = settings;
  const members = { enroll_url: enrollment_flow, recovery_url: recovery_flow, passwordless_url: passwordless_flow };
  const urls: Record<string, string> = {};
  for (const [name, pk] of Object.entries(members)) {
    const slug = pk === null ? null : await flowSlug(call.db, pk);
    if (slug !== null) urls[name] = flowPage(slug);
  }
  return urls;
}
