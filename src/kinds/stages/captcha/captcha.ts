import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  type Move,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import {
  callService,
  createServiceFaultEvents,
  isSuccess,
  objectIn,
  ServiceFault,
  type ServiceFaultEvents,
} from '../../../flow/services/call-service.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { booleanSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { captchaOrigins } from './captcha-origins.ts';
import { captchaStage, noLimit } from './captcha-stage.resource.ts';

type Settings = RowOf<typeof captchaStage>;

const maxTokenLength = 16_384;

export function captcha({ fetch }: { readonly fetch: GuardedFetch }): StageKind {
  const needs = { fetch, faultEvent: createServiceFaultEvents() };
  return defineStageKind({
    resource: captchaStage,
    component: 'xak-stage-captcha',
    allowsImpersonation: true,
    roles: () => ['keeps programs out'],
    challenge: {
      ...pendingUserSchemas,
      site_key: stringSchema,
      js_url: stringSchema,
      interactive: booleanSchema,
    },
    answer: { token: text({ strict: true, trim: false, max: maxTokenLength }) },
    async show(step) {
      const { public_key: site_key, js_url, interactive } = step.settings;
      return ask({ ...(await pendingUserMembers(step)), site_key, js_url, interactive });
    },
    verifyRegistration: (step, { token }) => judge(needs, step, token),
    pageNeeds: captchaOrigins,
    async demo({ api }) {
      const keys = { public_key: 'demo-site', private_key: 'demo-secret' };
      await api.ensure('/stages/captcha/', { name: 'Demo: captcha' }, keys);
    },
  });
}

interface Dependencies {
  readonly fetch: GuardedFetch;
  readonly faultEvent: ServiceFaultEvents;
}

async function judge({ fetch, faultEvent }: Dependencies, step: Step<Settings>, token: string): Promise<Move> {
  const { context, settings } = step;
  const verdict = await verifyCaptcha(fetch, step, token);
  if (verdict instanceof ServiceFault) {
    return stay(
      { token: ['The captcha cannot be checked at the moment.'] },
      faultEvent(captchaStage, settings, verdict),
    );
  }
  if (verdict.success !== true) return stay({ token: ['The captcha was not solved. Please try again.'] });
  if (!isWithin(verdict.score, settings)) return stay({ token: ['Verification failed. Try again.'] });
  const score = typeof verdict.score === 'number' ? verdict.score : null;
  context.captcha = { response: { success: true, score } };
  return next();
}

async function verifyCaptcha(
  fetch: GuardedFetch,
  { call, settings }: Step<Settings>,
  token: string,
): Promise<Row | ServiceFault> {
  // An imported stage has none until an administrator enters it.
  if (settings.private_key === '') return new ServiceFault('the stage has no private key');
  const form = { secret: settings.private_key, response: token, remoteip: call.request.clientIp };
  const answer = await callService(fetch, settings.api_url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  if (answer instanceof ServiceFault) return answer;
  if (!isSuccess(answer)) return new ServiceFault(`the service answered with ${answer.status}`);
  const verdict = objectIn(answer);
  if (verdict instanceof ServiceFault) return verdict;
  return typeof verdict.success === 'boolean' && !refusesSecret(verdict)
    ? verdict
    : new ServiceFault('the service did not say whether the captcha was solved');
}

/** The service rejects our secret key, so that no user can pass. */
const refusesSecret = ({ 'error-codes': codes }: Row): boolean =>
  Array.isArray(codes) && codes.some((code) => code === 'invalid-input-secret' || code === 'missing-input-secret');

/** Services without scores omit it; a value that is not a number is ignored. */
function isWithin(score: unknown, settings: Settings): boolean {
  if (score === undefined || score === null || !settings.error_on_invalid_score) return true;
  if (typeof score !== 'number') return false;
  if (settings.score_max_threshold === noLimit) return score >= settings.score_min_threshold;
  // In either order: clients may send them one by one.
  const bounds = [settings.score_min_threshold, settings.score_max_threshold];
  return score >= Math.min(...bounds) && score <= Math.max(...bounds);
}
