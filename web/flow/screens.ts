import { type ComponentType, lazy } from 'react';
import {
  type Challenge,
  captchaComponent,
  deniedComponent,
  faultComponent,
  mediaComponent,
  redirectComponent,
} from './challenge.ts';
import { AutosubmitScreen } from './screens/autosubmit.tsx';
import { ConfirmScreen } from './screens/confirm.tsx';
import { ConsentScreen } from './screens/consent.tsx';
import { DeviceCodeFinishScreen, DeviceCodeScreen } from './screens/device-code.tsx';
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

type Screen = ComponentType<{ challenge: Challenge }>;

/** A screen gets only challenges of its own component, so they have its type. */
const screen = <C extends Challenge>(shown: ComponentType<{ challenge: C }>): Screen => shown as unknown as Screen;

/** Lazy: large, or rarely seen. */
const CaptchaScreen = lazy(async () => ({ default: screen((await import('./screens/captcha.tsx')).CaptchaScreen) }));
const MediaSourceScreen = lazy(async () => ({
  default: screen((await import('./screens/media-source.tsx')).MediaSourceScreen),
}));
const TotpSetupScreen = lazy(async () => ({
  default: screen((await import('./screens/totp-setup.tsx')).TotpSetupScreen),
}));

const screens: Readonly<Record<string, Screen>> = {
  [redirectComponent]: screen(RedirectScreen),
  [deniedComponent]: screen(AccessDeniedScreen),
  [faultComponent]: screen(FlowErrorScreen),
  'xak-flow-confirm': screen(ConfirmScreen),
  'xak-stage-identification': screen(IdentificationScreen),
  'xak-stage-password': screen(PasswordScreen),
  'xak-stage-user-login': screen(UserLoginScreen),
  'xak-stage-prompt': screen(PromptScreen),
  'xak-stage-consent': screen(ConsentScreen),
  'xak-stage-email': screen(EmailScreen),
  [captchaComponent]: CaptchaScreen,
  [mediaComponent]: MediaSourceScreen,
  'xak-stage-dummy': screen(DummyScreen),
  'xak-stage-autosubmit': screen(AutosubmitScreen),
  'xak-stage-authenticator-validate': screen(ValidateScreen),
  'xak-stage-authenticator-totp': TotpSetupScreen,
  'xak-stage-authenticator-static': screen(StaticSetupScreen),
  'xak-stage-authenticator-webauthn': screen(WebauthnSetupScreen),
  'xak-stage-authenticator-sms': screen(SmsSetupScreen),
  'xak-stage-authenticator-twofactor': screen(TwofactorSetupScreen),
  'xak-provider-oauth2-device-code': screen(DeviceCodeScreen),
  'xak-provider-oauth2-device-code-finish': screen(DeviceCodeFinishScreen),
};

export const screenOf = (component: string): Screen => screens[component] ?? screen(UnknownScreen);
