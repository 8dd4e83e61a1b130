import { cachedUserFacts } from '../../../../core/mapping/user-facts.ts';
import { parseDuration } from '../../../../lib/duration.ts';
import type { Markup } from '../../../../lib/xml/write-xml.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import { applicationFacts } from '../../../../provider/authorize/denials.ts';
import { consumeTicket, type Ticket } from '../../../../provider/authorize/tickets.ts';
import { signInOfSession } from '../../../../provider/sign-in-of-session.ts';
import { type Call, requireActor } from '../../../../resource/call.ts';
import type { SamlDependencies } from '../dependencies.ts';
import { factsOf } from '../error-events.ts';
import { sessionIndexOf, storeLogin } from '../logins.ts';
import { samlApp } from '../models.ts';
import type { ServiceProvider } from '../service-provider.ts';
import { issuerOf } from '../urls.ts';
import { buildSubject } from './assertion-subject.ts';
import { authnContextOf } from './authn-context.ts';
import type { PendingRequest } from './pending-request.ts';
import { SsoError } from './sso-error.ts';
import { writeSuccess } from './write-response.ts';

interface Allowed {
  readonly provider: ServiceProvider;
  readonly request: PendingRequest;
  readonly ticket: Ticket;
}

/** The response that signs the user in. Built while the ticket is consumed. */
export async function buildLoginResponse(needs: SamlDependencies, call: Call, allowed: Allowed): Promise<Markup> {
  const { provider, request, ticket } = allowed;
  const { user: actor, session } = requireActor(call);
  const user = await cachedUserFacts(call, actor.pk);
  const signIn = await signInOfSession(call.db.read, session);
  if (!user?.is_active || session === null || signIn === null) {
    throw new SsoError('failed', 'The user is no longer signed in.');
  }
  const authnContext = authnContextOf(signIn.amr, request.requestedContext);
  if (authnContext === null) throw new SsoError('context', 'The person did not sign in as the request demands.');
  const { nameId, mapped } = await buildSubject(needs, call, {
    provider,
    user,
    session,
    nameIdFormat: request.nameIdFormat,
  });
  const issuer = issuerOf(needs.publicUrl, { issuer: provider.issuer, slug: provider.application.slug });
  const sessionIndex = sessionIndexOf(needs.key, session, provider.pk);
  const sessionMs = lengthOf(provider.session_valid_not_on_or_after);
  const response = await writeSuccess(
    {
      issuer,
      acs: provider.acs_url,
      inResponseTo: request.id,
      now: new Date(call.now),
      nameId,
      sessionIndex,
      attributes: mapped.attributes,
      audience: provider.audience,
      authnContext,
      signedInAt: new Date(signIn.at),
      notBeforeMs: lengthOf(provider.assertion_valid_not_before),
      notOnOrAfterMs: lengthOf(provider.assertion_valid_not_on_or_after),
      sessionMs,
    },
    provider,
    needs.keyOf(provider),
  );
  const login = { session, provider: provider.pk, session_index: sessionIndex, issuer };
  await call.db.write(async (tx) => {
    if (!(await consumeTicket(tx, ticket))) throw new SsoError('denied', 'The request was already completed.');
    const named = { name_id: nameId.value, name_id_format: nameId.format };
    await storeLogin(tx, { ...login, ...named }, call.now, addMilliseconds(call.now, sessionMs));
    for (const { mapping, failure } of mapped.failures) {
      const message = `Failed to evaluate property-mapping: '${mapping}'`;
      const context = { message, error: failure.message, ...factsOf(provider) };
      await call.world.record(tx, call, { action: 'configuration_error', app: samlApp, context });
    }
    await call.world.record(tx, call, {
      action: 'authorize_application',
      app: samlApp,
      context: {
        authorized_application: applicationFacts(provider.application),
        flow: ticket.flow.replaceAll('-', ''),
        ...(request.issuer && { service_provider: request.issuer }),
      },
    });
  });
  return response;
}

const lengthOf = (validity: string): number => parseDuration(validity) ?? 0;
