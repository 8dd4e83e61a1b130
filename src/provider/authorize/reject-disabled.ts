import { switchedOff } from '../../core/application/application-access.ts';
import { pageFrame } from '../../core/brand/page-frame.ts';
import { message } from '../../lib/texts/message.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../platform/http/routes.ts';
import type { Call } from '../../resource/call.ts';
import type { AuthorizationDependencies, RequestingProvider } from './dependencies.ts';

/**
 * Shows the user that the application is switched off, before they sign in. `back` is the application's address for the
 * error.
 */
export async function rejectIfDisabled(
  { refusals }: Pick<AuthorizationDependencies, 'refusals'>,
  call: Call,
  provider: RequestingProvider,
  back: string | undefined,
): Promise<HttpResponse> {
  await refusals.denied(call, provider, switchedOff);
  const { name } = provider.application;
  return plainPage({
    status: 403,
    ...(await pageFrame(call)),
    title: message('{name} is switched off', { name }),
    paragraphs: ['You cannot sign in to it at the moment. Ask its administrator when it will be available again.'],
    link:
      back === undefined
        ? { to: '/', text: 'Go to the start page' }
        : { to: back, text: message('Back to {name}', { name }) },
  });
}
