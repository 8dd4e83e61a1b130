import { pageFrame } from '../../../../core/brand/page-frame.ts';
import { csrfFormField, isCsrfFormValid } from '../../../../core/session/csrf-form-field.ts';
import { startPlannedFlow } from '../../../../flow/executor/start-planned-flow.ts';
import { message, type UserText } from '../../../../lib/texts/message.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { isUseAllowed } from '../../../../provider/authorize/check-use.ts';
import { slugOf } from '../../../../provider/authorize/sign-in-first.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import { type Call, requireActor } from '../../../../resource/call.ts';
import { decisionStep } from '../authorize/decide-request.ts';
import type { AuthorizeDependencies } from '../authorize/dependencies.ts';
import { checkSignsInForThemselves, consentContext } from '../authorize/handle-authorize.ts';
import { type Client, loadClient } from '../client.ts';
import { deviceCodeGrant } from '../grant-types.ts';
import { OAuthError } from '../oauth-error.ts';
import { parseParams } from '../params.ts';
import { decideRequest, findRequestByUserCode, type StoredRequest } from '../requests.ts';
import { isAllowedAtAll } from '../resource-indicators.ts';
import { devicePath } from './device-authorization.ts';
import { deviceFlowOf, isDevicePageOpen } from './device-page-entry.ts';

const use = 'device';
const refused = 'refused';
const connectedPath = `${devicePath}?done=1`;
const refusedPath = `${devicePath}?done=${refused}`;
const notForYou = 'You may not connect this device.';

/**
 * The verification page of the device flow (RFC 8628 §3.3): users enter the code, see which application requests
 * access, and go through its authorization flow. A link with the code in it does none of that for them.
 */
export async function handleDevicePage(needs: AuthorizeDependencies, call: Call, text: string): Promise<HttpResponse> {
  const params = parseParams(text);
  const code = params.get('code') ?? '';
  const here = code === '' ? devicePath : `${devicePath}?code=${encodeURIComponent(code)}`;
  if (!call.actor?.session) return redirectBrowser(await needs.signInPath(call.request.host, call.db.read, here));
  checkSignsInForThemselves(call);
  const done = params.get('done');
  if (done !== undefined) return done === refused ? refusedPage(call) : donePage(call);
  const elsewhere = await startDeviceFlow(needs, call, call.actor.session, here);
  if (elsewhere) return elsewhere;
  if (!isCsrfFormValid(needs.key, call, params, use)) return codePage(needs, call, code);
  needs.failures.check(call);
  const found = await waitingRequest(needs, call, code);
  if (!found) {
    needs.failures.count(call);
    return codePage(needs, call, '', 'The code is invalid or expired. Check the code on your device.');
  }
  if (params.get(refused) !== undefined) return renderRejection(call, found, null);
  if (params.get('confirmed') === undefined) return confirmPage(needs, call, code, found.client);
  return letIn(needs, call, found);
}

/** Null if the user may open the page. */
async function startDeviceFlow(
  needs: AuthorizeDependencies,
  call: Call,
  session: string,
  next: string,
): Promise<HttpResponse | null> {
  const slug = await deviceFlowOf(call.request.host, call.db.read);
  if (slug === null || (await isDevicePageOpen(call.db.read, needs.key, session, call.now))) return null;
  const append = [decisionStep('granted', { kind: 'device_page' })];
  const begun = await startPlannedFlow(needs, call, { slug, context: {}, append, next });
  if (begun.outcome === 'over') return redirectBrowser(next, begun.cookies);
  if (begun.outcome === 'asks') return redirectBrowser(begun.to, begun.cookies);
  const message = begun.outcome === 'denied' ? begun.message : null;
  throw new OAuthError('access_denied', message ?? 'You may not connect devices.', { status: 403 });
}

interface Waiting {
  readonly request: StoredRequest;
  readonly client: Client;
}

async function waitingRequest(needs: AuthorizeDependencies, call: Call, code: string): Promise<Waiting | null> {
  const request = await findRequestByUserCode(call.db.read, needs.key, code);
  if (request?.state !== 'waiting' || request.expires <= call.now) return null;
  const client = await loadClient(needs, { provider: request.provider });
  return client?.grant_types.includes(deviceCodeGrant) ? { request, client } : null;
}

async function letIn(needs: AuthorizeDependencies, call: Call, waiting: Waiting): Promise<HttpResponse> {
  const { request, client } = waiting;
  const resource = [request.content.resource ?? []].flat().map(String);
  const isAllowed = await isAllowedAtAll(needs, client, resource, (one) => isUseAllowed(needs, call, one));
  if (!isAllowed) return renderRejection(call, waiting, notForYou);
  const scope = [request.content.scope ?? []].flat().map(String);
  const { pk, name } = client.application;
  const decided = {
    kind: 'device',
    provider: client.pk,
    flow: client.authorization_flow ?? '',
    pk: request.pk,
    scope,
    application: { pk, name },
  } as const;
  const begun = await startPlannedFlow(needs, call, {
    slug: (await slugOf(call.db.read, client.authorization_flow)) ?? '',
    context: await consentContext(needs, call.db.read, client, { scope, resource, prompt: [] }),
    append: [decisionStep('granted', decided)],
    refusal: { append: [decisionStep('denied', decided)], next: refusedPath },
    next: connectedPath,
  });
  if (begun.outcome === 'over') return redirectBrowser(connectedPath, begun.cookies);
  if (begun.outcome === 'asks') return redirectBrowser(begun.to, begun.cookies);
  return renderRejection(call, waiting, begun.outcome === 'denied' ? begun.message : notForYou);
}

/** Shows the reason, unless the user knows it. */
async function renderRejection(call: Call, { request }: Waiting, why: UserText | null): Promise<HttpResponse> {
  await deny(call, request);
  return why === null ? redirectBrowser(refusedPath) : { ...(await refusedPage(call, why)), status: 403 };
}

/** The device need not go on asking (RFC 8628 §3.5). */
async function deny(call: Call, { pk }: StoredRequest): Promise<void> {
  const { user, session } = requireActor(call);
  await call.db.write((tx) => decideRequest(tx, pk, 'denied', { user: user.pk, session }));
}

const codePage = async (
  { key }: AuthorizeDependencies,
  call: Call,
  code: string,
  complaint?: UserText,
): Promise<HttpResponse> =>
  plainPage({
    ...(complaint && { status: 400 }),
    ...(await pageFrame(call)),
    title: 'Connect a device',
    paragraphs: [complaint ?? 'Enter the code that your device shows.'],
    form: {
      action: devicePath,
      hidden: csrfFormField(key, call, use),
      field: { name: 'code', label: 'Code', value: code },
      submit: 'Continue',
    },
  });

const confirmPage = async (
  { key }: AuthorizeDependencies,
  call: Call,
  code: string,
  { application }: Client,
): Promise<HttpResponse> =>
  plainPage({
    ...(await pageFrame(call)),
    title: message('Sign in to {name}?', { name: application.name }),
    paragraphs: [
      message('The device that shows the code {code} will act for {user}.', {
        code,
        user: requireActor(call).user.username,
      }),
      'Continue only if you have that device in front of you. Never enter a code that someone else gave you.',
    ],
    form: {
      action: devicePath,
      hidden: { ...csrfFormField(key, call, use), code, confirmed: '1' },
      submit: 'Connect the device',
      otherwise: { name: refused, text: 'Do not connect it' },
    },
  });

const donePage = async (call: Call): Promise<HttpResponse> =>
  plainPage({
    ...(await pageFrame(call)),
    title: 'Your device is connected',
    paragraphs: ['It continues automatically. You can close this page.'],
  });

const refusedPage = async (call: Call, why?: UserText): Promise<HttpResponse> =>
  plainPage({
    ...(await pageFrame(call)),
    title: 'Your device is not connected',
    paragraphs: [...(why ? [why] : []), 'The device will be notified. You can close this page.'],
  });
