import { bindPolicy } from './flow-parts.ts';
import type { BootstrapStep } from './steps.ts';

/** The rules, and for each the policies that match events by their action. */
const rules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'default-notify-configuration-error': { 'default-match-configuration-error': 'configuration_error' },
  'default-notify-update': { 'default-match-update': 'update_available' },
  'default-notify-exception': {
    'default-match-policy-exception': 'policy_exception',
    'default-match-property-mapping-exception': 'property_mapping_exception',
  },
};

/** Notifies administrators of users who ask for access to an application. */
export const accessRequestNotifications: BootstrapStep = {
  name: 'access request notifications',
  async run(make) {
    const transports = [
      await make.ensure('svc_events.notificationtransport', { name: 'default-email-transport' }, { mode: 'email' }),
      await make.ensure('svc_events.notificationtransport', { name: 'default-local-transport' }, { mode: 'local' }),
    ];
    const group = await make.ensure('svc_core.group', { name: 'Gatehouse Admins' }, { is_superuser: true });
    const name = 'default-notify-access-request';
    const rule = { severity: 'notice', group, transports };
    const target = await make.ensure('svc_events.notificationrule', { name }, rule);
    // Expressions write events of their own under other apps.
    const events = { action: 'custom_', app: 'svc.core', model: 'svc_core.application' };
    const matcher = { name: 'default-match-access-request' };
    const policy = await make.ensure('svc_policies_event_matcher.eventmatcherpolicy', matcher, events);
    await bindPolicy(make, target, policy, 0);
  },
};

/** Notifies administrators of problems. The policies bound to a rule select its events. */
export const notifications: BootstrapStep = {
  name: 'notifications',
  async run(make) {
    const { ensure } = make;
    const transports = [
      await ensure('svc_events.notificationtransport', { name: 'default-email-transport' }, { mode: 'email' }),
      await ensure('svc_events.notificationtransport', { name: 'default-local-transport' }, { mode: 'local' }),
    ];
    const group = await ensure('svc_core.group', { name: 'Gatehouse Admins' }, { is_superuser: true });
    for (const [name, matchers] of Object.entries(rules)) {
      const target = await ensure('svc_events.notificationrule', { name }, { severity: 'alert', group, transports });
      for (const [order, [matcher, action]] of Object.entries(matchers).entries()) {
        const policy = await ensure('svc_policies_event_matcher.eventmatcherpolicy', { name: matcher }, { action });
        await bindPolicy(make, target, policy, order);
      }
    }
  },
};
