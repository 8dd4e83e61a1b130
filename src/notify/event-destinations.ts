import { guardDestinations } from '../resource/access/destinations.ts';

export const eventPermissions = ['svc_events.view_event'];

/** Guards the members by which events reach others. */
export const eventDestinations = (...members: string[]) =>
  guardDestinations({
    members,
    permissions: eventPermissions,
    refusal: 'Changing where events are sent requires permission to view events.',
  });
