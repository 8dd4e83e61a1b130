import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import { type Text, t } from '../texts/texts.ts';

/** What the server's library made for the one here; the API describes it as an object. */
export type Options = Readonly<Record<string, unknown>>;

/** The device's response, or an error message for the person. */
export type Outcome<T> = { readonly response: T } | { readonly trouble: string };

// Loaded on first use: most people never need it.
const library = () => import('@simplewebauthn/browser');

export async function registerPasskey(options: Options): Promise<Outcome<RegistrationResponseJSON>> {
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return attempt(() => startRegistration({ optionsJSON }));
}

export async function askPasskey(options: Options): Promise<Outcome<AuthenticationResponseJSON>> {
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return attempt(() => startAuthentication({ optionsJSON }));
}

/**
 * Lets the browser offer passkeys by autofill. Null if it cannot, if nobody picks one, or once the offer is withdrawn.
 */
export async function offerPasskeys(load: () => Promise<Options | null>): Promise<AuthenticationResponseJSON | null> {
  if (!('PublicKeyCredential' in globalThis)) return null;
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await library();
  if (!(await browserSupportsWebAuthnAutofill())) return null;
  try {
    const optionsJSON = (await load()) as PublicKeyCredentialRequestOptionsJSON | null;
    return optionsJSON && (await startAuthentication({ optionsJSON, useBrowserAutofill: true }));
  } catch {
    // The person is not aware of the request, so the screen continues without it.
    return null;
  }
}

/** Frees the device for another request. */
export async function withdrawPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await library();
  WebAuthnAbortService.cancelCeremony();
}

async function attempt<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  if (!('PublicKeyCredential' in globalThis))
    return { trouble: t('This browser does not support passkeys here. They need a secure (https) address.') };
  try {
    return { response: await ask() };
  } catch (error) {
    return { trouble: t(words[nameOf(error)] ?? 'Your device did not answer, or the request was cancelled.') };
  }
}

/** The library keeps the browser's error name, or wraps the error as its cause. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

const words: Readonly<Record<string, Text>> = {
  InvalidStateError: 'This device is registered already.',
  NotSupportedError: 'This device does not support what is required here.',
  SecurityError: 'Passkeys cannot be used at this address.',
  ConstraintError: 'This device cannot verify its user, which is required here.',
};
