import { cluster } from '../kinds/connections/cluster/cluster.ts';
import { container } from '../kinds/connections/container/container.ts';
import { notification } from '../kinds/mappings/notification/notification.ts';
import { dummyPolicies } from '../kinds/policies/dummy/dummy.ts';
import { eventMatcher } from '../kinds/policies/event-matcher/event-matcher.ts';
import { expressions } from '../kinds/policies/expression/expression.ts';
import { geoIp } from '../kinds/policies/geoip/geoip.ts';
import { passwords } from '../kinds/policies/password/password.ts';
import { passwordExpiry } from '../kinds/policies/password-expiry/password-expiry.ts';
import { reputation } from '../kinds/policies/reputation/reputation.ts';
import { cloudDirectory } from '../kinds/providers/cloud-directory/cloud-directory.ts';
import { ldap } from '../kinds/providers/ldap/ldap.ts';
import { oauth2 } from '../kinds/providers/oauth2/oauth2.ts';
import { proxy } from '../kinds/providers/proxy/proxy.ts';
import { radius } from '../kinds/providers/radius/radius.ts';
import { samlIdp } from '../kinds/providers/saml/saml.ts';
import { scimProvider } from '../kinds/providers/scim/scim.ts';
import { workspaceDirectory } from '../kinds/providers/workspace-directory/workspace-directory.ts';
import { ldapDirectory } from '../kinds/sources/ldap/ldap.ts';
import { mediasrc } from '../kinds/sources/mediasrc/mediasrc.ts';
import { oauth } from '../kinds/sources/oauth/oauth.ts';
import { saml } from '../kinds/sources/saml/saml.ts';
import { scim } from '../kinds/sources/scim/scim.ts';
import { smsEnrolment } from '../kinds/stages/authenticator-sms/sms-enrolment.ts';
import { smsFactor } from '../kinds/stages/authenticator-sms/sms-factor.ts';
import { authenticatorStatic } from '../kinds/stages/authenticator-static/authenticator-static.ts';
import { staticTokens } from '../kinds/stages/authenticator-static/static-device.ts';
import { authenticatorTotp } from '../kinds/stages/authenticator-totp/authenticator-totp.ts';
import { totp } from '../kinds/stages/authenticator-totp/totp-device.ts';
import { twofactorDevice, twofactorSetup } from '../kinds/stages/authenticator-twofactor/twofactor.ts';
import { authenticatorValidate } from '../kinds/stages/authenticator-validate/authenticator-validate.ts';
import { webauthnEnrolment } from '../kinds/stages/authenticator-webauthn/webauthn-enrolment.ts';
import { webauthnFactor } from '../kinds/stages/authenticator-webauthn/webauthn-factor.ts';
import { captcha } from '../kinds/stages/captcha/captcha.ts';
import { consentKind } from '../kinds/stages/consent/consent.ts';
import { denyKind } from '../kinds/stages/deny/deny.ts';
import { dummy } from '../kinds/stages/dummy/dummy.ts';
import { emailKind } from '../kinds/stages/email/email.ts';
import { identification } from '../kinds/stages/identification/identification.ts';
import { invitationKind } from '../kinds/stages/invitation/invitation.ts';
import { password } from '../kinds/stages/password/password.ts';
import { promptKind } from '../kinds/stages/prompt/prompt-kind.ts';
import { sourceStageKind } from '../kinds/stages/source/source.ts';
import { userDelete } from '../kinds/stages/user-delete/user-delete.ts';
import { userLogin } from '../kinds/stages/user-login/user-login.ts';
import { userLogout } from '../kinds/stages/user-logout/user-logout.ts';
import { userWrite } from '../kinds/stages/user-write/user-write.ts';
import { emailTransport } from '../kinds/transports/email/email.ts';
import { localTransport } from '../kinds/transports/local/local.ts';
import { slackTransport } from '../kinds/transports/slack/slack.ts';
import { webhookTransport } from '../kinds/transports/webhook/webhook.ts';
import type { KindLists } from './kinds.ts';

/** All kinds. A new one is a folder, a migration and a line here. */
export const catalogue: KindLists = {
  /** The engines that decide about access. */
  policies: [passwordExpiry, reputation, geoIp, expressions, eventMatcher, passwords, dummyPolicies],
  /** Property mappings that do not belong to a source or provider. */
  mappings: [notification],
  /** Channels for notifications. */
  transports: [localTransport, webhookTransport, slackTransport, emailTransport],
  /** How platforms that run outposts are reached. */
  connections: [container, cluster],
  /** Where people come from. */
  sources: [ldapDirectory, mediasrc, oauth, saml, scim],
  /** What applications are reached through. */
  providers: [oauth2, samlIdp, proxy, ldap, radius, scimProvider, workspaceDirectory, cloudDirectory],
  /** Second factors. */
  devices: [staticTokens, totp, webauthnFactor, twofactorDevice, smsFactor],
  /** What people go through in flows. */
  stages: [
    denyKind,
    dummy,
    identification,
    password,
    userLogin,
    userLogout,
    userWrite,
    userDelete,
    promptKind,
    invitationKind,
    consentKind,
    captcha,
    emailKind,
    sourceStageKind,
    webauthnEnrolment,
    smsEnrolment,
    twofactorSetup,
    authenticatorTotp,
    authenticatorStatic,
    authenticatorValidate,
  ],
};
