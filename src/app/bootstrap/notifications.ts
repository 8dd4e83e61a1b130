import type { BootstrapStep } from './steps.ts';

/** How administrators hear of what goes wrong. The rules begin to act when policies are bound to them. */
export const notifications: BootstrapStep = {
  name: 'notifications',
  async run({ ensure, find }) {
    const transports = [
      await ensure('svc_events.notificationtransport', { name: 'default-email-transport' }, { mode: 'email' }),
      await ensure('svc_events.notificationtransport', { name: 'default-local-transport' }, { mode: 'local' }),
    ];
    const group = await find('svc_core.group', { name: 'Gatehouse Admins' });
    for (const name of ['default-notify-configuration-error', 'default-notify-update', 'default-notify-exception']) {
      await ensure('svc_events.notificationrule', { name }, { severity: 'alert', group, transports });
    }
  },
};
