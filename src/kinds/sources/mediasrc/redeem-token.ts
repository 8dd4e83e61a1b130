import { attemptIdOf, planCookies, plansOf, sharedAttempt } from '../../../flow/attempt.ts';
import { flowPage } from '../../../flow/executor/challenge.ts';
import { savePlan } from '../../../flow/plan.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { callersFacts } from '../../../policy/request.ts';
import { inPerson, notActingAs } from '../../../resource/access/credentials.ts';
import { checkRecentlyAuthenticated, isRecentlyAuthenticated } from '../../../resource/access/recent-authentication.ts';
import type { Call } from '../../../resource/call.ts';
import { defineAction } from '../../../resource/define.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { ReplyWith } from '../../../resource/document/operations.ts';
import { text } from '../../../resource/fields/text.ts';
import type { ActionInput, Resource } from '../../../resource/resource.ts';
import { isDryRun } from '../../../resource/write/write.ts';
import type { ExternalIdentity } from '../../../source/external-identity.ts';
import { linkCaller } from '../../../source/link-caller.ts';
import { findSource } from '../../../source/load-source.ts';
import { findConnection } from '../../../source/match-user.ts';
import {
  accessDenied,
  checkEnabled,
  checkSourcePolicies,
  planSignIn,
  type SignInNeeds,
} from '../../../source/sign-in.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import { checkMediaServerAccess, type MediaSourceRules } from './check-access.ts';
import { createMediaAccountApi, MediaServerFailed } from './media-account-api.ts';
import { mediasrcConnectionModel, mediasrcMappingModel, mediasrcSourceModel } from './mediasrc-model.ts';

export interface RedeemNeeds extends SignInNeeds {
  readonly fetch: GuardedFetch;
  readonly key: InstanceKey;
  readonly config: { readonly mediasrcApiUrl: string; readonly publicUrl: string };
}

export type MediaSource = SourceRow & MediaSourceRules & { readonly client_id: string };

const settingsPage = '/if/user/#/settings;page-sources';

export const tokenMember = {
  plex_token: text({
    max: 1024,
    check: (token) => (/^[\x21-\x7e]+$/.test(token) ? null : 'Not a valid token.'),
    help: 'The token that the media server gave the person.',
  }),
};

const shared = {
  on: 'set',
  method: 'POST',
  body: tokenMember,
  bodySchema: 'MediasrcTokenRedeemRequest',
  query: { slug: stringSchema },
} as const;

/**
 * Signs a user in with a token of the media server: starts the next flow, or, in a session, leads to a
 * link. A bearer token names a client, not the person, and must not make a way in that outlives it.
 */
export const redeemToken = (needs: RedeemNeeds) =>
  defineAction({
    ...shared,
    name: 'redeem_token',
    page: { noButton: 'The sign-in page calls it.' },
    summary: 'Redeem a token of the media server, and begin to sign in or to enrol',
    access: 'anyone',
    credentials: notActingAs,
    recentAuthentication: 'to link the account to the user of the session',
    answer: { status: 200, schema: { $ref: '#/components/schemas/RedirectChallenge' } },
    async prepare(input) {
      const external = await signIn(needs, input);
      const { call } = input;
      if (!call.actor?.session || (!isRecentlyAuthenticated(call) && (await isOwnAccount(external, call))))
        return { external, plan: await planSignIn(needs, external, { ...call, actor: null }) };
      checkRecentlyAuthenticated(call);
      await checkSourcePolicies(needs.policies, external.source, await callersFacts(call, call.db.read), call);
      return { external, plan: null };
    },
    async run({ prepared: { external, plan }, call, registry, tx }) {
      if (!plan) {
        await linkCaller(external, 'refuse', call, registry, tx);
        return redirectTo(settingsPage);
      }
      // The calling page may name an attempt, which separates it from other tabs.
      const attempt = attemptIdOf(call.request.query) ?? sharedAttempt;
      const token = await savePlan(tx, needs.key, plan, call.now, plansOf(needs.key, call));
      const cookies = planCookies(call, needs.config.publicUrl, { attempt, token });
      const headers = isDryRun(call) ? {} : { 'set-cookie': cookies };
      return new ReplyWith(200, redirectTo(`${flowPage(plan.flow.slug)}${queryOf(call)}`), headers);
    },
  });

/** Whether the account is linked to the caller, who then proves by it who they are. */
const isOwnAccount = async ({ source, identity }: ExternalIdentity, { db, actor }: Call): Promise<boolean> =>
  (await findConnection(db.read, source.pk, identity.identifier)) === actor?.user.pk;

/** Links the caller's account to their account with the media server; again, with a newer token, if they like. */
export const redeemTokenAuthenticated = (needs: RedeemNeeds) =>
  defineAction({
    ...shared,
    name: 'redeem_token_authenticated',
    page: { noButton: 'The account page calls it.' },
    summary: 'Redeem a token of the media server, and link the caller to their account there',
    access: 'authenticated',
    credentials: inPerson,
    recentAuthentication: true,
    answer: { status: 204 },
    async prepare(input) {
      const external = await signIn(needs, input);
      const { call } = input;
      await checkSourcePolicies(needs.policies, external.source, await callersFacts(call, call.db.read), call);
      return external;
    },
    async run({ prepared, call, registry, tx }) {
      await linkCaller(prepared, 'refresh', call, registry, tx);
    },
  });

/** Who presents the token, if the source lets them in. */
async function signIn(
  needs: RedeemNeeds,
  { call, registry, values }: ActionInput<unknown, typeof tokenMember>,
): Promise<ExternalIdentity> {
  // The model is this kind's own.
  const sourceResource = registry.require(mediasrcSourceModel) as Resource<MediaSource>;
  const source = await findSource(sourceResource, call.request.query.get('slug') ?? '', call);
  if (!source) throw new Problem('not_found');
  checkEnabled(source);
  return loadExternalIdentity(needs, sourceResource, source, values.plex_token);
}

export async function loadExternalIdentity(
  { fetch, config }: Pick<RedeemNeeds, 'fetch' | 'config'>,
  sourceResource: Resource,
  source: MediaSource,
  token: string,
): Promise<ExternalIdentity> {
  const api = createMediaAccountApi({ fetch, apiUrl: config.mediasrcApiUrl, clientId: source.client_id });
  const { account, mayEnter } = await checkMediaServerAccess(api, source, token).catch(refuse);
  if (!mayEnter) throw accessDenied();
  return {
    source,
    sourceResource,
    mappingModel: mediasrcMappingModel,
    connectionModel: mediasrcConnectionModel,
    connectionValues: { plex_token: token },
    identity: {
      identifier: account.id,
      username: account.username,
      // Unverified addresses are not passed on.
      email: account.isEmailConfirmed ? account.email : '',
      isEmailConfirmed: account.isEmailConfirmed,
      name: account.title,
      info: account.facts,
    },
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof MediaServerFailed)) throw error;
  throw error.refusedToken ? Invalid.field('plex_token', error.message) : Invalid.whole(error.message);
}

const redirectTo = (to: string) => ({ component: 'xak-flow-redirect', to });

/** The page gets the parameters of the request, to identify the source. */
function queryOf({ request }: Call): string {
  const query = new URLSearchParams(request.query);
  query.delete('dry_run');
  return `?${query}`;
}
