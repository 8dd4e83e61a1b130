import type { DeviceKind, FactorInput } from '../../../flow/devices/device-kind.ts';
import { codeProof, plainChallenges } from '../../../flow/devices/device-kind.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import { codeNeeds, type SmsNeeds, sendCode } from './send-code.ts';
import { consumeCode } from './sms-code.ts';
import { type SmsDevice, smsDevices } from './sms-device.ts';
import { smsStage } from './sms-stage.resource.ts';

const wrongCode = 'Invalid Token. Please ensure that you have entered the latest code.';

/** Verification by a code sent to a phone. */
export function smsFactor(smsNeeds: SmsNeeds): DeviceKind<SmsDevice> {
  const needs = codeNeeds(smsNeeds);
  return {
    deviceClass: 'sms',
    deviceResources: smsDevices,
    setupStage: smsStage.model,
    methods: () => ['sms'],
    proof: codeProof,
    challenges: async (ground) => plainChallenges('sms', reachable(ground)),
    async choose(ground, chosen) {
      const device = reachable(ground).find(({ pk }) => pk === chosen.pk);
      if (!device?.stage || !ground.user) return 'No message can be sent to this device.';
      const { call, engine } = ground.step;
      const stage = await loadStage(engine, smsStage, device.stage, call);
      return sendCode(needs, call, stage, ground.user, { number: device.phone_number, typedFrom: null });
    },
    async prove(ground, given) {
      const { call } = ground.step;
      const code = typeof given === 'string' ? given.replaceAll(/\s/g, '') : '';
      for (const device of reachable(ground)) {
        const subject = { user: device.user, number: device.phone_number };
        if (await consumeCode(call.db, needs.key, subject, code, call.now)) return { device };
      }
      return { complaint: wrongCode };
    },
  };
}

/** Excludes phones stored only as a hash and phones whose stage has been deleted. */
const reachable = ({ devices }: FactorInput<SmsDevice>): SmsDevice[] =>
  devices.filter(({ is_hashed, phone_number, stage }) => !is_hashed && phone_number && stage !== null);
