import { cachedUserFacts, type UserFacts } from '../../core/mapping/user-facts.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { booleanSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { text } from '../../resource/fields/text.ts';
import { consumeTicket, findTicket } from '../authorize/tickets.ts';
import { type SignIn, signInOfSession } from '../sign-in-of-session.ts';

/** Whom a test has signed in. */
export interface TestUser {
  readonly user: UserFacts;
  readonly session: string;
  readonly signIn: SignIn;
}

/** Claims by source, or the reason there are none. */
export type TestSignInResult = { readonly claims: Readonly<Record<string, Json>> } | { readonly refusal: string };

interface Dependencies {
  readonly key: Pick<InstanceKey, 'hash' | 'box'>;
  /** The claims of a signed-in user for the application of a provider. */
  tell(call: Call, provider: number, person: TestUser): Promise<TestSignInResult>;
}

const spent = 'This test was shown before, or it is not yours. Start it again.';

/** Shows the result of a test sign-in to its user, once. */
export const testSignInAction = ({ key, tell }: Dependencies) =>
  actionOn<{ pk: number }>()({
    name: 'test_sign_in',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of an application runs the test.' },
    summary: 'Show the claims that the application would get after a test sign-in',
    access: 'visible',
    body: { ticket: text({ max: 100, help: 'What the test sign-in has led back with.' }) },
    bodySchema: 'TestSignInRequest',
    answer: {
      status: 200,
      schemaName: 'TestSignIn',
      schema: objectSchema({
        passing: booleanSchema,
        message: { ...stringSchema, description: 'Why the person would not be signed in; else empty.' },
        claims: {
          type: 'object',
          additionalProperties: true,
          description: 'Claims by source.',
        },
      }),
    },
    async prepare({ call, row, values }) {
      const ticket = await findTicket(call.db, key, call, values.ticket);
      if (ticket?.provider !== row.pk || !isJsonObject(ticket.request) || ticket.request.isTest !== true)
        throw Invalid.field('ticket', spent);
      if (ticket.state === 'denied')
        return { ticket, told: { refusal: 'You or the authorization flow denied the request.' } };
      const person = await personOf(call);
      return {
        ticket,
        told: person ? await tell(call, row.pk, person) : { refusal: 'You are no longer signed in.' },
      };
    },
    async run({ tx, prepared: { ticket, told } }) {
      if (!(await consumeTicket(tx, ticket))) throw Invalid.field('ticket', spent);
      return 'refusal' in told
        ? { passing: false, message: told.refusal, claims: {} }
        : { passing: true, message: '', claims: told.claims };
    },
  });

async function personOf(call: Call): Promise<TestUser | null> {
  const { user: actor, session } = requireActor(call);
  const user = await cachedUserFacts(call, actor.pk);
  const signIn = await signInOfSession(call.db.read, session);
  return user?.is_active && session !== null && signIn ? { user, session, signIn } : null;
}
