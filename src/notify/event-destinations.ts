import { guardDestinations } from '../resource/access/destinations.ts';

export const eventPermissions = ['svc_events.view_event'];

/** Guards the members by which events reach others. */
export const eventDestinations = (...members: string[]) =>
  guardDestinations({
    members,
    permissions: eventPermissions,
    refusal: 'Whoever gets events reads them: changing that takes permission to see events.',
  });
