import { guardDestinations } from '../resource/destinations.ts';

/** Guards the members by which events reach others. */
export const eventDestinations = (...members: string[]) =>
  guardDestinations({
    members,
    permissions: ['svc_events.view_event'],
    refusal: 'Whoever gets events reads them: changing that takes permission to see events.',
  });
