import { sql } from 'kysely';
import { countMail, countMessage } from '../../../core/attempts/attempts.ts';
import { pageFrame } from '../../../core/brand/page-frame.ts';
import { recordEmailProof } from '../../../core/directory/email-proof.ts';
import { findByName } from '../../../core/directory/name-keys.ts';
import { loadUserFacts, type UserFacts } from '../../../core/mapping/user-facts.ts';
import { confirmScreen, linkComponent } from '../../../flow/executor/challenge.ts';
import { provenEmail, setProvenEmail } from '../../../flow/executor/flow-state.ts';
import {
  ask,
  defineStageKind,
  deny,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { storeLink } from '../../../flow/links/flow-link.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { type Query, Rollback } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import { booleanSchema } from '../../../resource/document/json-schema.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { emailStage } from './email-stage.resource.ts';
import { type MailNeeds, mailLink, mailLinkJob } from './mail-link.job.ts';
import { type RecoveryNeeds, recoveryEmailAction } from './recovery-email.ts';

type Settings = RowOf<typeof emailStage>;

type EmailStageNeeds = MailNeeds & RecoveryNeeds;

const tooSoon = 'A mail was sent a moment ago. Please wait before you request another.';

/**
 * Sends a link and waits until it is opened. The response does not reveal whether the user exists: unknown names are
 * counted, stored and queued like any other, and the job finds no recipient.
 */
export function emailKind(needs: EmailStageNeeds): StageKind {
  return defineStageKind({
    resource: emailStage,
    userActions: [recoveryEmailAction(needs)],
    jobs: (server) => [mailLinkJob({ ...needs, ...server })],
    component: linkComponent,
    roles: () => ['needs user', 'mails', 'proves'],
    otherScreens: [confirmScreen],
    challenge: { link_opened: booleanSchema },
    answer: {},
    async show(step) {
      const { context, memory, settings, call } = step;
      if ((await isConfirmed(step)) || isOfInvitation(step)) return confirmed(step);
      if (context.pending_user === null && context.pending_user_identifier === null && addressOf(step) === null)
        return deny('There is no recipient for the mail.');
      if (settings.use_global_settings && !(await needs.mailer.isReady()))
        return deny('This server cannot send mails.');
      if (memory.sent_at === undefined) {
        if (isOnlyOpened(call)) return ask({ signs_out: false, sends_mail: true }, confirmScreen.component);
        await send(needs, step);
        memory.sent_at = call.now;
      }
      return ask({ link_opened: false });
    },
    async verifyRegistration(step) {
      // Sent for this answer.
      if (step.memory.sent_at === step.call.now) return ask({ link_opened: false });
      return (await send(needs, step)) ? ask({ link_opened: false }) : stay({ non_field_errors: [tooSoon] });
    },
  });
}

/**
 * Another site may have opened this page in a signed-in browser (CSRF), so the user is asked first. Without a session,
 * a walk gets here by an answer, or by one GET from a source after a sign-in there: that mail is sent at once.
 */
const isOnlyOpened = ({ actor, request }: Call): boolean => actor !== null && request.method !== 'POST';

/** Whether the link was opened, and was sent to the user's current address: it verifies no other. */
async function isConfirmed(step: Step<Settings>): Promise<boolean> {
  const { mailed_to } = step.walk.plan;
  if (!step.context.is_restored) return false;
  return mailed_to === undefined || mailed_to === (addressOf(step) ?? (await step.pendingUser())?.email);
}

/** Whether the invitation was mailed to the entered address: the person who opened it has proven that already. */
function isOfInvitation(step: Step<Settings>): boolean {
  const proven = provenEmail(step.context);
  return proven?.by === 'invitation' && proven.email === addressOf(step);
}

/** The entered address, during an enrolment. */
function addressOf({ context, flow }: Step<Settings>): string | null {
  const { pending_user, pending_user_identifier, prompt_data } = context;
  if (flow.designation !== 'enrollment' || pending_user !== null || pending_user_identifier !== null) return null;
  return typeof prompt_data.email === 'string' && prompt_data.email !== '' ? prompt_data.email : null;
}

const taken = 'There is an account with this address already. Sign in with it, or ask for a new password.';

const hasAccount = async (query: Query, address: string): Promise<boolean> =>
  (await findByName(query, address, ['email'])).length > 0;

/** Only a user created on this walk is activated; other inactive users stay inactive. */
async function confirmed(step: Step<Settings>) {
  const { settings, context, call } = step;
  const { pending_user, created_user } = context;
  const address = addressOf(step);
  // Only now: the person who opened the link controls the address and may learn that it has an account.
  if (address !== null && (await hasAccount(call.db.read, address))) return deny(taken);
  const { mailed_to } = step.walk.plan;
  const proven = mailed_to ? ({ email: mailed_to, by: 'mail' } as const) : null;
  if (proven) setProvenEmail(context, proven);
  if (pending_user === null) return next();
  return next(async (tx) => {
    if (proven) await recordEmailProof(tx, proven, pending_user, call.now);
    if (settings.activate_user_on_success && created_user === pending_user)
      await sql`update users set is_active = ${true} where pk = ${pending_user}`.execute(tx);
  });
}

/** Queues a mail; returns false once the limit of the name is reached. The mailbox limit is not disclosed. */
async function send({ key, jobs }: EmailStageNeeds, step: Step<Settings>): Promise<boolean> {
  const { call, context, settings, flow, walk } = step;
  const user = await step.pendingUser();
  const { brand: title, look, language } = await pageFrame(call);
  const { now } = call;
  const typed = context.pending_user_identifier;
  const address = addressOf(step);
  const who = typed ?? context.pending_user ?? address ?? '';
  const owner = context.pending_user ?? (address === null ? `nobody ${typed}` : `newcomer ${address.toLowerCase()}`);
  // Looked up for known users too, or the work would differ (timing attack, user enumeration).
  const found = flow.designation === 'recovery' && typed ? await findSharers(call, typed) : [];
  const sharers = user === null ? found : [];
  const minutes = settings.token_expiry;
  try {
    return await call.db.write(async (tx) => {
      if (!(await countMessage(tx, call, key, { who, by: { ip: call.request.clientIp }, now })))
        throw new Rollback(false);
      const hasRoom = await countMail(tx, key, { owner, now });
      const isSent = hasRoom && mayReceive(user, step);
      await call.world.evictOldest('flow_links', tx);
      const expires = addMilliseconds(now, minutes * 60_000);
      const content = { ...walk, plan: { ...walk.plan, mailed_to: address ?? user?.email ?? sharers[0]?.email ?? '' } };
      const recipient = isSent ? user : sharers[0];
      const link = {
        flow: flow.pk,
        user: hasRoom ? (recipient?.pk ?? null) : null,
        content,
      };
      const pk = await storeLink(tx, key, { ...link, expires, now });
      const others = hasRoom ? await storeOthers(tx, key, step, sharers.slice(1), expires) : [];
      await mailLink(jobs(), tx, {
        link: pk,
        ...(others.length > 0 && { others }),
        stage: settings.pk,
        title,
        accent: look.accent,
        language,
        isRecorded: false,
        ...(address !== null && hasRoom && { to: address }),
      });
      return true;
    });
  } catch (error) {
    if (error instanceof Rollback) return false;
    throw error;
  }
}

const maxSharers = 20;

/**
 * Active users who share the address that was typed: it identifies none of them, so each gets a link, all in one mail.
 */
async function findSharers({ db }: Call, typed: string): Promise<UserFacts[]> {
  const found = await findByName(db.read, typed, ['email']);
  if (found.length < 2) return [];
  const users = await Promise.all(found.slice(0, maxSharers).map(({ pk }) => loadUserFacts(db.read, pk)));
  return users.flatMap((user) => (user?.is_active && user.type !== 'internal_service_account' ? [user] : []));
}

async function storeOthers(
  tx: Query,
  key: InstanceKey,
  { call, walk, flow }: Step<Settings>,
  sharers: readonly UserFacts[],
  expires: string,
): Promise<string[]> {
  const links: string[] = [];
  for (const { pk: user, email: mailed_to } of sharers) {
    const content = { ...walk, plan: { ...walk.plan, mailed_to } };
    links.push(await storeLink(tx, key, { flow: flow.pk, user, content, expires, now: call.now }));
  }
  return links;
}

function mayReceive(user: UserFacts | null, { context }: Step<Settings>): boolean {
  if (!user || user.email === '' || user.type === 'internal_service_account') return false;
  return user.is_active || context.created_user === user.pk;
}
