import { isAmbiguousName } from '../../../../core/directory/known-by-attribute.ts';
import { cachedUserFacts, type UserFacts } from '../../../../core/mapping/user-facts.ts';
import { parseDuration } from '../../../../lib/duration.ts';
import type { Markup } from '../../../../lib/xml/write-xml.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import { applicationFacts } from '../../../../provider/authorize/denials.ts';
import { consumeTicket, type Ticket } from '../../../../provider/authorize/tickets.ts';
import { signInOfSession } from '../../../../provider/sign-in-of-session.ts';
import { type Call, requireActor } from '../../../../resource/call.ts';
import { type MappedUser, mapUser } from '../attributes.ts';
import { noteLogin, sessionIndexOf, transientIdOf } from '../logins.ts';
import { samlApp } from '../models.ts';
import { attributeOfFormat, type NameId, nameIdOf } from '../name-id.ts';
import type { SamlNeeds } from '../needs.ts';
import { factsOf } from '../refusal-events.ts';
import type { ServiceProvider } from '../service-provider.ts';
import { issuerOf } from '../urls.ts';
import { authnContextOf } from './authn-context.ts';
import type { PendingRequest } from './pending-request.ts';
import { SamlRefusal } from './saml-refusal.ts';
import { wantedFormat } from './wanted-format.ts';
import { writeSuccess } from './write-response.ts';

interface Allowed {
  readonly provider: ServiceProvider;
  readonly request: PendingRequest;
  readonly ticket: Ticket;
}

/** The response that signs somebody in. It comes to be as the ticket is used up. */
export async function answerAllowed(needs: SamlNeeds, call: Call, allowed: Allowed): Promise<Markup> {
  const { provider, request, ticket } = allowed;
  const { user: actor, session } = requireActor(call);
  const user = await cachedUserFacts(call, actor.pk);
  const signIn = await signInOfSession(call.db.read, session);
  if (!user?.is_active || session === null || signIn === null) {
    throw new SamlRefusal('failed', 'The person is not signed in any more.');
  }
  const authnContext = authnContextOf(signIn.amr, request.requestedContext);
  if (authnContext === null) throw new SamlRefusal('context', 'The person did not sign in as the request demands.');
  const mapped = mappedUser(needs, provider, user);
  const nameId = nameIdFor(needs, allowed, { user, session, mapped });
  await checkOneUser(needs, call, { provider, user, nameId });
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
    if (!(await consumeTicket(tx, ticket))) throw new SamlRefusal('denied', 'The request was answered before.');
    const named = { name_id: nameId.value, name_id_format: nameId.format };
    await noteLogin(tx, { ...login, ...named }, call.now, addMilliseconds(call.now, sessionMs));
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
      },
    });
  });
  return response;
}

const lengthOf = (validity: string): number => parseDuration(validity) ?? 0;

/** What the mappings say of a user, cached while neither changes. */
function mappedUser({ sandbox }: SamlNeeds, provider: ServiceProvider, user: UserFacts): MappedUser {
  const known = provider.mappedUsers.get(user);
  if (known) return known;
  const mapped = mapUser(sandbox, provider, user);
  if (mapped.isLasting) provider.mappedUsers.set(user, mapped);
  return mapped;
}

interface Person {
  readonly user: UserFacts;
  readonly session: string;
  readonly mapped: MappedUser;
}

/** A mapping decides over the value, never over the format. Nobody goes by an empty name: it would be many people's. */
function nameIdFor(needs: SamlNeeds, { provider, request }: Allowed, { user, session, mapped }: Person): NameId {
  const format = wantedFormat(provider, request);
  const transient = () => transientIdOf(needs.key, session, provider.pk);
  const own = nameIdOf(format, user, { installId: needs.installId, transient });
  const value =
    provider.nameIdMapping === null
      ? own.value
      : (mapped.nameId ?? nameIdOf('', user, { installId: needs.installId, transient }).value);
  if (value.trim() === '')
    throw new SamlRefusal('nameId', 'The user has nothing that the service provider knows users by.');
  return { value, format };
}

/** Nobody is signed in by an attribute that another user has as well: the service provider would take the one for the other. */
async function checkOneUser(
  { installId, refusals }: SamlNeeds,
  call: Call,
  { provider, user, nameId }: { provider: ServiceProvider; user: UserFacts; nameId: NameId },
): Promise<void> {
  const attribute = attributeOfFormat.get(nameId.format);
  // What a mapping says is not the attribute; its author answers for it.
  if (attribute === undefined || provider.nameIdMapping !== null) return;
  const named = { user: user.pk, attribute, value: nameId.value, installId };
  if (!(await isAmbiguousName(call.db.read, named))) return;
  await refusals.ambiguousName(call, provider, user, attribute);
  throw new SamlRefusal('nameId', 'The service provider could not tell the user from others.');
}
