import { type DeviceKind, type FactorInput, plainChallenges } from '../../../flow/devices/device-kind.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import { ServiceFault } from '../../../flow/services/call-service.ts';
import { integer } from '../../../resource/fields/scalar.ts';
import type { TwofactorDevice } from './twofactor-device.ts';
import { twofactorDevices } from './twofactor-device.ts';
import type { TwofactorNeeds } from './twofactor-enrolment.ts';
import { authAccount } from './twofactor-stage.resource.ts';

type PushDevice = TwofactorDevice & { service_user: string; stage: string };

/** Verification by push notification. The answer selects the device; the user confirms on it. */
export function twofactorFactor({
  api,
  stage: resource,
  faultEvent,
}: Omit<TwofactorNeeds, 'key'>): DeviceKind<TwofactorDevice> {
  return {
    deviceClass: 'twofactor',
    deviceResources: twofactorDevices,
    setupStage: resource.model,
    methods: () => ['mca'],
    proof: { twofactor: integer({ nullable: true, default: null }) },
    challenges: async (ground) => plainChallenges('twofactor', askable(ground)),
    async prove(ground, given) {
      const { call, engine } = ground.step;
      const device = askable(ground).find(({ pk }) => pk === given);
      if (!device) return { complaint: 'Invalid device' };
      const stage = await loadStage(engine, resource, device.stage, call);
      const isAllowed = await api.askPerson(authAccount(stage), device.service_user, call.request.clientIp, call.now);
      if (isAllowed instanceof ServiceFault) {
        await call.db.write((tx) => faultEvent(resource, stage, isAllowed)(tx, call));
        return { complaint: 'Your phone could not be reached, or did not confirm in time. Please try again.' };
      }
      return isAllowed ? { device } : { complaint: 'The request was denied on your phone.' };
    },
  };
}

const askable = ({ devices }: FactorInput<TwofactorDevice>): PushDevice[] =>
  devices.filter((device): device is PushDevice => Boolean(device.service_user && device.stage));
