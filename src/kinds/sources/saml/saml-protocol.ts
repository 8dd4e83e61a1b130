import { parseDuration } from '../../../lib/duration.ts';
import { ownPath } from '../../../lib/own-path.ts';
import type { SignedIn } from '../../../lib/saml/assertion.ts';
import { writeAuthnRequest } from '../../../lib/saml/authn-request.ts';
import { SamlError } from '../../../lib/saml/message.ts';
import { nameIdFormats } from '../../../lib/saml/names.ts';
import { decodePost } from '../../../lib/saml/post-binding.ts';
import { readResponse } from '../../../lib/saml/response.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { createNetworkLimit, createRateLimit } from '../../../platform/limits/rate-limit.ts';
import { randomToken } from '../../../platform/random.ts';
import type { Call } from '../../../resource/call.ts';
import { consumePending, storePendingLogin } from '../../../source/pending-logins.ts';
import { checkAuthenticatedSince, type RedirectProtocol } from '../../../source/redirect-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { bindingOf, buildBrowserMessage } from './build-browser-message.ts';
import { identityOf } from './saml-identity.ts';
import { decryptionKey, signingKey, verificationKeys } from './saml-keys.ts';
import {
  nameIdFormatOf,
  type SamlSource,
  samlConnectionModel,
  samlMappingModel,
  samlPaths,
  serviceProviderOf,
} from './saml-model.ts';
import { sessionFacts } from './saml-sessions.ts';
import { useAssertion } from './used-assertions.ts';

export interface SamlProtocolDependencies {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** What was verified of a response. A type, since it is stored. */
type Verified = Pick<SignedIn, 'inResponseTo' | 'nameId' | 'attributes' | 'sessionIndex' | 'authenticatedAt'> & {
  readonly relayState: string | null;
};

/** The fields of the form: a response in base64 and the RelayState. */
const maxFormBytes = 1_048_576;

/**
 * The protocol of SAML identity providers (SAML profiles, section 4.1). Their response is posted from their own site,
 * so without our cookies: it is verified, stored, and processed when the browser requests the callback itself.
 */
export function samlProtocol({
  key,
  config: { publicUrl },
}: SamlProtocolDependencies): RedirectProtocol<SamlSource, Verified> {
  // Verifying takes far longer than sending something to be verified.
  const limit = (max: number) =>
    createNetworkLimit((allowance) => createRateLimit({ max: max * allowance, windowMs: 60_000 }));
  const [answers, refused] = [limit(300), limit(60)];

  async function verify(source: SamlSource, text: string, call: Call): Promise<SignedIn> {
    const reads = { query: call.db.read, world: call.world };
    const { entityId, consumerUrl } = serviceProviderOf(source, publicUrl);
    const rules = {
      now: Date.parse(call.now),
      issuer: source.idp_issuer || null,
      audience: entityId,
      consumerUrl,
      keys: await verificationKeys(source, reads),
      decryptionKey: await decryptionKey(source, reads),
    };
    return withSourceErrors(source.name, () => readResponse(decodePost(text), rules));
  }

  return {
    paths: { login: samlPaths.login, callback: samlPaths.callback },
    mappingModel: samlMappingModel,
    connectionModel: samlConnectionModel,
    maxFormBytes,
    preLoginFlow: ({ pre_authentication_flow }) => pre_authentication_flow,
    confirmsRedirect: ({ binding_type }) => binding_type === 'POST',
    async startLogin(source, { state, isAgain }, call) {
      const reads = { query: call.db.read, world: call.world };
      // Without it the response could not be verified, so do not redirect.
      await verificationKeys(source, reads);
      const { entityId, consumerUrl } = serviceProviderOf(source, publicUrl);
      const message = writeAuthnRequest({
        id: idOf(state),
        issuer: entityId,
        destination: source.sso_url,
        consumerUrl,
        nameIdFormat: nameIdFormatOf(source),
        now: new Date(call.now),
        forceAuthn: isAgain,
      });
      const outgoing = {
        name: 'SAMLRequest',
        message,
        relayState: null,
        key: await signingKey(source, reads),
      } as const;
      return {
        to: buildBrowserMessage(bindingOf(source), source.sso_url, outgoing),
        secrets: isAgain ? call.now : null,
      };
    },
    async handleFormPost(source, form, call) {
      const { clientIp } = call.request;
      if (refused.isReached(clientIp) || answers.waitAfter(clientIp) > 0) {
        throw new SourceRefusal('Too many answers came from your network. Please try again in a minute.', {
          status: 429,
        });
      }
      const [text, ...others] = form.getAll('SAMLResponse');
      if (!text || others.length > 0) throw new SourceRefusal("Request does not contain 'SAMLResponse'");
      const signedIn = await verify(source, text, call).catch((error: unknown) => {
        refused.waitAfter(clientIp);
        throw error;
      });
      if (signedIn.inResponseTo === null && !source.allow_idp_initiated) {
        throw new SourceRefusal('Missing InResponseTo and IdP-initiated Logins are not allowed');
      }
      const token = randomToken();
      const visit = { purpose: 'answer', token, browser: '', source: source.pk } as const;
      const { inResponseTo, nameId, attributes, sessionIndex, authenticatedAt } = signedIn;
      const relayState = form.get('RelayState');
      const verified = { inResponseTo, nameId, attributes, sessionIndex, authenticatedAt, relayState };
      await call.db.write(async (tx) => {
        await useAssertion(tx, key, source.pk, signedIn);
        await storePendingLogin(tx, key, visit, verified, call);
      });
      return new URLSearchParams({ answer: token });
    },
    async parseCallback(source, given, call) {
      const token = given.get('answer') ?? '';
      const visit = { purpose: 'answer', token, browser: '', source: source.pk } as const;
      const content = await call.db.write((tx) => consumePending<'answer', Verified>(tx, key, visit, call.now));
      if (content === null)
        throw new SourceRefusal('This response was already used, or has expired. Please start again.');
      const { inResponseTo, relayState } = content;
      // RelayState is used for unsolicited responses only, and only as a local path (open redirect).
      if (inResponseTo === null) return { content, isUnsolicited: true, next: ownPath(relayState, publicUrl) };
      return { content, state: stateOf(inResponseTo) };
    },
    async identifyUser(source, content, askedAt, call) {
      checkAuthenticatedSince(source.name, typeof askedAt === 'string' ? askedAt : null, content.authenticatedAt);
      const isTransient = content.nameId.format === nameIdFormats.transient;
      const lifetimeMs = Math.max(0, parseDuration(source.temporary_user_delete_after) ?? 0);
      return {
        identity: identityOf(content, source.name),
        connectionValues: {},
        temporaryUntil: isTransient ? addMilliseconds(call.now, lifetimeMs) : null,
        session: sessionFacts(content),
      };
    },
  };
}

/** A request's ID is the state of its departure, in a form that XML takes for a name. */
const idOf = (state: string): string => `_${state}`;
const stateOf = (id: string): string => id.slice(1);

/** Turns `SamlError`s into errors for the user. */
export async function withSourceErrors<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SamlError)) throw error;
    throw new SourceRefusal(`The answer of ${name} cannot be accepted. ${error.message}`);
  }
}
