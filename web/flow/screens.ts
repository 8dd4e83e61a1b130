import { type ComponentType, lazy } from 'react';
import type { ChallengeTypes } from '../api/types.ts';
import {
  type ChallengeOf,
  captchaComponent,
  deniedComponent,
  faultComponent,
  mediaComponent,
  redirectComponent,
} from './challenge.ts';
import { ConfirmScreen } from './screens/confirm.tsx';
import { ConsentScreen } from './screens/consent.tsx';
import { DummyScreen } from './screens/dummy.tsx';
import { EmailScreen } from './screens/email.tsx';
import { AccessDeniedScreen, FlowErrorScreen, RedirectScreen, UnknownScreen } from './screens/endings.tsx';
import { IdentificationScreen } from './screens/identification.tsx';
import { PasswordScreen } from './screens/password.tsx';
import { PromptScreen } from './screens/prompt.tsx';
import { SmsSetupScreen } from './screens/sms-setup.tsx';
import { StaticSetupScreen } from './screens/static-setup.tsx';
import { TwofactorSetupScreen } from './screens/twofactor-setup.tsx';
import { UserLoginScreen } from './screens/user-login.tsx';
import { ValidateScreen } from './screens/validate.tsx';
import { WebauthnSetupScreen } from './screens/webauthn-setup.tsx';

type Component = ChallengeTypes['component'];
type Screens = { readonly [C in Component]?: ComponentType<{ challenge: ChallengeOf<C> }> };
type Screen = ComponentType<{ challenge: ChallengeTypes }>;

/** Lazy: large, or rarely seen. */
const CaptchaScreen = lazy(async () => ({ default: (await import('./screens/captcha.tsx')).CaptchaScreen }));
const MediaSourceScreen = lazy(async () => ({
  default: (await import('./screens/media-source.tsx')).MediaSourceScreen,
}));
const TotpSetupScreen = lazy(async () => ({ default: (await import('./screens/totp-setup.tsx')).TotpSetupScreen }));

const screens: Screens = {
  [redirectComponent]: RedirectScreen,
  [deniedComponent]: AccessDeniedScreen,
  [faultComponent]: FlowErrorScreen,
  'xak-flow-confirm': ConfirmScreen,
  'xak-stage-identification': IdentificationScreen,
  'xak-stage-password': PasswordScreen,
  'xak-stage-user-login': UserLoginScreen,
  'xak-stage-prompt': PromptScreen,
  'xak-stage-consent': ConsentScreen,
  'xak-stage-email': EmailScreen,
  [captchaComponent]: CaptchaScreen,
  [mediaComponent]: MediaSourceScreen,
  'xak-stage-dummy': DummyScreen,
  'xak-stage-authenticator-validate': ValidateScreen,
  'xak-stage-authenticator-totp': TotpSetupScreen,
  'xak-stage-authenticator-static': StaticSetupScreen,
  'xak-stage-authenticator-webauthn': WebauthnSetupScreen,
  'xak-stage-authenticator-sms': SmsSetupScreen,
  'xak-stage-authenticator-twofactor': TwofactorSetupScreen,
};

/** A screen gets only challenges of its own component, so they have its type. */
export const screenOf = (component: Component): Screen => (screens[component] as Screen | undefined) ?? UnknownScreen;
