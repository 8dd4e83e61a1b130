import { sql } from 'kysely';
import { pageFrame } from '../../core/brand/page-frame.ts';
import { csrfField, csrfFormField, isCsrfFormValid } from '../../core/session/csrf-form-field.ts';
import { Problem } from '../../lib/problem.ts';
import { readForm } from '../../lib/read-form.ts';
import { message } from '../../lib/texts/message.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { Route } from '../../platform/http/route.ts';
import type { HttpResponse } from '../../platform/http/routes.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { createSharedLimit } from '../../platform/limits/shared-rate-limit.ts';
import type { Call } from '../../resource/call.ts';
import { type BrowserMount, browserCall } from '../browser-call.ts';
import { applicationFacts } from './denials.ts';
import type { RequestingProvider } from './dependencies.ts';

const path = '/application/request-access/';
export const accessRequested = 'custom_access_request';
/** A user who asks again within it is recorded once. */
const windowMs = 24 * 60 * 60_000;

const purposeOf = (slug: string): string => `request access ${slug}`;

/**
 * The page for a user whom the policies of an application keep out, if it takes requests for access. `back` is the
 * application's address for the error.
 */
export async function offerAccessRequest(
  { key }: { readonly key: InstanceKey },
  call: Call,
  { application: { name, slug } }: Pick<RequestingProvider, 'application'>,
  back: string | undefined,
): Promise<HttpResponse> {
  return plainPage({
    status: 403,
    ...(await pageFrame(call)),
    title: 'Access denied',
    paragraphs: [
      message('You do not have access to {name}.', { name }),
      'You can ask for it. Administrators are notified.',
    ],
    form: {
      action: path,
      hidden: { application: slug, ...csrfFormField(key, call, purposeOf(slug)) },
      submit: 'Ask for access',
    },
    link:
      back === undefined
        ? { to: '/', text: 'Go to the start page' }
        : { to: back, text: message('Back to {name}', { name }) },
  });
}

type Mount = BrowserMount & { readonly key: InstanceKey; readonly db: Database };

/** Records that a user asks for access, which a notification rule tells administrators. */
export function requestAccessRoute(mount: Mount): Route {
  const limit = createSharedLimit({ db: mount.db, name: 'access requests', max: 1, windowMs });
  return {
    methods: ['POST'],
    path,
    async handle(http) {
      const call = await browserCall(mount, http);
      const form = readForm(http.body);
      const slug = form.get('application') ?? '';
      const proof = { get: () => form.get(csrfField) };
      const { actor } = call;
      const isOwn = isCsrfFormValid(mount.key, call, proof, purposeOf(slug));
      const application = isOwn && actor && !actor.impersonator ? await findOpen(mount.db.read, slug) : null;
      if (!application || !actor) throw new Problem('permission_denied', 'This form is no longer valid.');
      if (limit.waitAfter(`${actor.user.pk} ${application.pk}`) === 0)
        await mount.db.write((tx) =>
          call.world.record(tx, call, {
            action: accessRequested,
            app: 'svc_core',
            context: { model: applicationFacts(application) },
          }),
        );
      return plainPage({
        ...(await pageFrame(call)),
        title: 'You have asked for access',
        paragraphs: [
          message('Administrators are notified that you need {name}. Try again once you have access.', {
            name: application.name,
          }),
        ],
        link: { to: '/', text: 'Go to the start page' },
      });
    },
  };
}

interface OpenApplication {
  readonly pk: string;
  readonly name: string;
}

/** The application, if it takes requests. */
async function findOpen(query: Query, slug: string): Promise<OpenApplication | null> {
  const { rows } = await sql<OpenApplication>`select pk, name from applications
    where slug = ${slug} and enabled and access_requests`.execute(query);
  return rows[0] ?? null;
}
