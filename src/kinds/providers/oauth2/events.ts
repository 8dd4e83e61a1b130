import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { applicationFacts } from '../../../provider/authorize/denials.ts';
import type { Call, NewEvent } from '../../../resource/call.ts';
import type { Client } from './client.ts';
import type { GrantType } from './grant-types.ts';

const app = 'svc_providers_oauth2';

/** The same call with the user as actor, for events only. Grants no permissions. */
export function callAs(call: Call, user: UserFacts): Call {
  const { pk, uuid, username, name, email, type } = user;
  return {
    ...call,
    actor: {
      user: { pk, uuid, username, name, email, type, attributes: {} },
      session: null,
      credential: 'access token',
      isSuperuser: false,
      holds: () => false,
      objectsHolding: () => {
        throw new Error('this actor is only for events and has no permissions');
      },
    },
  };
}

type Authorized = { readonly application: Pick<Client['application'], 'pk' | 'name'> };

const factsOf = ({ application }: Authorized) => applicationFacts(application);

interface Authorization {
  readonly scope: readonly string[];
  readonly grantType: GrantType;
  /** The flow that the user completed; missing without user interaction. */
  readonly flow?: string;
  /** Who acts for the user. */
  readonly actor?: UserFacts | undefined;
}

/** A user has authorized an application. Recorded once, however many tokens are issued. */
export const authorizedEvent = (client: Authorized, { scope, grantType, flow, actor }: Authorization): NewEvent => ({
  action: 'authorize_application',
  app,
  context: {
    authorized_application: factsOf(client),
    scopes: scope.join(' '),
    grant_type: grantType,
    ...(flow !== undefined && { flow: flow.replaceAll('-', '') }),
    ...(actor && { actor: { pk: actor.pk, email: actor.email, username: actor.username } }),
  },
});

/** A single-use object was used again (replay). */
export const suspiciousEvent = (client: Client, grantType: GrantType): NewEvent => ({
  action: 'suspicious_request',
  app,
  context: {
    message: 'A grant was used twice. All its tokens have been revoked.',
    application: factsOf(client),
    grant_type: grantType,
  },
});

const maxUriLength = 500;

/** The subject identifier of the user is shared with another user. */
export const sharedSubjectEvent = (
  client: Authorized & Pick<Client, 'pk' | 'name' | 'sub_mode'>,
  { pk, username }: UserFacts,
): NewEvent => ({
  action: 'configuration_error',
  app,
  context: {
    message:
      client.sub_mode === 'user_email'
        ? 'No tokens were issued: the provider identifies users by email address, which several users share. Choose another `sub_mode`.'
        : 'No tokens were issued: the provider identifies users by upn, and another user has the same value. Give each user a unique upn.',
    subject_of: { pk, username },
    application: factsOf(client),
    provider: { app, model_name: 'oauth2provider', pk: client.pk, name: client.name },
  },
});

const wrongAddress = {
  redirect_uri: 'The redirect_uri of a request is not registered for the provider.',
  post_logout_redirect_uri: 'The post_logout_redirect_uri of a request is not registered for the provider.',
} as const;

/** That a request named an address to return to that the provider does not have. */
export const wrongRedirectEvent = (
  client: Authorized & Pick<Client, 'pk' | 'name'>,
  parameter: keyof typeof wrongAddress,
  address: string,
): NewEvent => ({
  action: 'configuration_error',
  app,
  context: {
    message: wrongAddress[parameter],
    [parameter]: address.slice(0, maxUriLength),
    application: factsOf(client),
    provider: { app, model_name: 'oauth2provider', pk: client.pk, name: client.name },
  },
});
