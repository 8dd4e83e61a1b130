import type { Text } from '../../texts/texts.ts';

interface UsualRole {
  readonly title: Text;
  readonly permissions: readonly string[];
}

const helpDesk = [
  'svc_core.view_user',
  'svc_core.reset_user_password',
  'svc_core.reset_user_second_factors',
  // Shows the way from their own pages to the admin pages.
  'svc_rbac.access_admin_interface',
];

/** What many companies hand out, to begin a role with. */
export const usualRoles: readonly UsualRole[] = [
  { title: 'Help desk: passwords and second factors', permissions: helpDesk },
  {
    title: 'Help desk: sign-in problems',
    // The whole log: failed sign-ins are in it, and who was turned away by which policy.
    permissions: ['svc_core.view_user', 'svc_events.view_event', 'svc_rbac.access_admin_interface'],
  },
  {
    title: 'Personnel: people, groups and invitations',
    permissions: [
      ...helpDesk,
      'svc_core.add_user',
      'svc_core.change_user',
      'svc_core.view_group',
      'svc_core.add_user_to_group',
      'svc_core.remove_user_from_group',
      'svc_stages_invitation.view_invitation',
      'svc_stages_invitation.add_invitation',
      'svc_stages_invitation.change_invitation',
      'svc_stages_invitation.delete_invitation',
    ],
  },
];
