import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verbatim } from '../../../lib/texts/message.ts';
import { definePolicyKind } from '../../../policy/kind.ts';
import { dummyPolicy } from './dummy.resource.ts';

/** In seconds. Caps the simulated delay. */
const maxWait = 60;

export const dummyPolicies = definePolicyKind({
  resource: dummyPolicy,
  constantResult: ({ result }) => Boolean(result),
  async demo({ api }) {
    const values = { result: true, wait_min: 0, wait_max: 0 };
    await api.ensure('/policies/dummy/', { name: 'Demo: always yes' }, values);
  },
  async evaluate({ result, wait_min, wait_max }) {
    const least = within(Number(wait_min));
    const longest = Math.max(within(Number(wait_max)), least);
    const seconds = randomInt(least, longest + 1);
    if (seconds > 0) await sleep(seconds * 1_000, undefined, { ref: false });
    return { passing: Boolean(result), messages: [verbatim('dummy')], logs: [`It waited ${seconds} seconds.`] };
  },
});

const within = (seconds: number) => Math.min(Math.max(seconds, 0), maxWait);
