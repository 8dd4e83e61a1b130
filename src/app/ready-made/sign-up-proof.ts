import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { enrollment, enrollmentFlow } from '../bootstrap/enrollment.ts';
import { bindStage, makeStage } from '../bootstrap/flow-parts.ts';
import type { Make } from '../bootstrap/steps.ts';
import { makeRoom, type Writes } from './writes.ts';

const emailModel = 'svc_stages_email.emailstage';
const promptModel = 'svc_stages_prompt.promptstage';
const bindingModel = 'svc_flows.flowstagebinding';

/** The stages that the switch adds. */
const addressStage = 'default-enrollment-address';
const mailStage = 'default-enrollment-email';

interface Step {
  readonly pk: string;
  readonly stage: string;
  readonly kind: string;
  readonly name: string;
  readonly order: number;
}

/** Whether enrollment by invitation asks for a proof of the address. */
export async function hasSignUpProof(tx: Query): Promise<boolean> {
  return (await stepsOf(tx)).some(({ kind }) => kind === emailModel);
}

/**
 * Asks for the address alone, and mails a link to it. Everything else is asked after that: the person who opens the
 * link continues with the earlier answers, which another person may have given.
 */
export async function addSignUpProof(make: Make, writes: Writes): Promise<void> {
  if (!(await make.world.mailer.isReady()))
    throw Invalid.whole('Mail is not set up. Set the mail server in Settings, Address and mail, first.');
  const { tx } = make;
  if ((await stepsOf(tx)).length === 0) await enrollment.run(make, undefined);
  const asking = await findAsking(tx);
  if (!asking) throw Invalid.whole('The flow has no step that asks for an address.');
  const flow = String(await make.find('svc_flows.flow', { slug: enrollmentFlow }));
  const { step, email, others } = asking;
  const isAlone = others.length === 0;
  const place = isAlone ? step.order + 1 : step.order;
  const order = await makeRoom(tx, { flow, place, count: isAlone ? 1 : 2 }, writes);
  if (!isAlone) {
    await writes.change(promptModel, step.stage, { fields: others });
    const stage = await make.ensure(promptModel, { name: addressStage }, { fields: [email] });
    await bindStage(make, enrollmentFlow, stage, order);
  }
  const values = { subject: 'Confirm your address', template: 'email/account_confirmation.html' };
  await makeStage(make, {
    model: emailModel,
    name: mailStage,
    values,
    flow: enrollmentFlow,
    order: isAlone ? order : order + 1,
  });
}

/** Removes the mail, and asks for the address in one form with the rest again. */
export async function removeSignUpProof(tx: Query, { remove, change }: Writes): Promise<void> {
  const steps = await stepsOf(tx);
  for (const { pk } of steps.filter(({ name }) => name === mailStage)) await remove(bindingModel, pk);
  const address = steps.find(({ name }) => name === addressStage);
  const form = steps.find(
    ({ kind, name, order }) => kind === promptModel && name !== addressStage && order > (address?.order ?? 0),
  );
  if (address && form) {
    const fields = [...(await fieldsOf(tx, address.stage)), ...(await fieldsOf(tx, form.stage))];
    await remove(bindingModel, address.pk);
    await change(promptModel, form.stage, { fields: [...new Set(fields.map(({ pk }) => pk))] });
  }
  if (await hasSignUpProof(tx))
    throw Invalid.whole('The flow has an e-mail stage that this switch did not add. Remove it from the flow.');
}

async function stepsOf(tx: Query): Promise<Step[]> {
  const { rows } = await sql<Step>`select b.pk, b.stage, s.kind, s.name, b."order" from flow_stage_bindings b
    join stages s on s.pk = b.stage join flows f on f.pk = b.target
    where f.slug = ${enrollmentFlow} order by b."order"`.execute(tx);
  return rows;
}

const fieldsOf = async (tx: Query, stage: string) =>
  (
    await sql<{ pk: string; field_key: string }>`select p.pk, p.field_key from prompts p
      join prompt_stage_fields f on f.prompt = p.pk where f.stage = ${stage} order by p."order"`.execute(tx)
  ).rows;

/** The step that asks for the address, and what else it asks for. */
async function findAsking(tx: Query) {
  for (const step of await stepsOf(tx)) {
    const fields = step.kind === promptModel ? await fieldsOf(tx, step.stage) : [];
    const email = fields.find(({ field_key }) => field_key === 'email')?.pk;
    if (email) return { step, email, others: fields.map(({ pk }) => pk).filter((pk) => pk !== email) };
  }
  return null;
}
