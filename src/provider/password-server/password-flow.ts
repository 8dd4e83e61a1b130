import { sql } from 'kysely';
import type { Complaints } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { CheckInput } from '../../resource/resource.ts';

/** The slug of the flow that passwords are verified by, unless another is chosen. */
export const passwordFlowSlug = 'default-authentication-flow';

/** Fills in the flow that passwords are verified by, and checks that it signs people in. */
export async function completePasswordFlow(
  input: CheckInput<{ pk: number; authorization_flow: string }>,
): Promise<Complaints | null> {
  const { tx, values, given, current } = input;
  if (given.has('authorization_flow')) return flowComplaint(tx, values.authorization_flow);
  if (current !== null) return null;
  const flow = await shippedFlow(tx);
  if (flow === null) return { authorization_flow: ['This field is required.'] };
  values.authorization_flow = flow;
  return null;
}

async function shippedFlow(query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from flows where designation = 'authentication' and enabled
    order by slug <> ${passwordFlowSlug}, slug limit 1`.execute(query);
  return rows[0]?.pk ?? null;
}

/** Other designations would change accounts or send mails for each password, without a sign-in. */
async function flowComplaint(query: Query, flow: string): Promise<Complaints | null> {
  const { rows } = await sql<{ designation: string }>`select designation from flows where pk = ${flow}`.execute(query);
  if (!rows[0] || rows[0].designation === 'authentication') return null;
  return {
    authorization_flow: ['Passwords are verified by a flow that signs people in: choose one for authentication.'],
  };
}
