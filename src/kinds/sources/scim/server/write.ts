import { sql } from 'kysely';
import { recordEmailProof } from '../../../../core/directory/email-proof.ts';
import { deepMerge } from '../../../../lib/deep-merge.ts';
import { isJsonObject, isSameJson } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { randomUuid } from '../../../../platform/random.ts';
import type { Row } from '../../../../resource/fields/field.ts';
import type { Resource } from '../../../../resource/resource.ts';
import { updateColumns } from '../../../../resource/write/write.ts';
import { createRow, destroyRow, insertRow, updateRow } from '../../../../resource/write/write-row.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { canonicalDocument, checkSize, listMember, textMember } from './document.ts';
import { asSystem, inScimWrite, recordScimWrite } from './in-write.ts';
import { patchDocument } from './patch-document.ts';
import { project } from './project.ts';
import { mapProperties } from './properties.ts';
import { projectionOf } from './read.ts';
import {
  checkVersion,
  findRecord,
  memberKeys,
  membersOf,
  otherMembers,
  showRecord,
  storedDocument,
  versionOf,
} from './records.ts';
import type { RecordRow, ResourceType } from './resource-type.ts';
import type { ScimRequest, ScimResponse } from './scim-request.ts';

export async function create(exchange: ScimRequest, type: ResourceType): Promise<ScimResponse> {
  const document = canonicalDocument(type, exchange.body());
  if (textMember(document, type.naming.attribute) === undefined) throw missingName(type);
  const sent = { ...type.initial, ...document };
  checkSize(sent);
  const resource = await inScimWrite(exchange, type, async (tx) => {
    const { call, source, needs } = exchange;
    const properties = await mapProperties(exchange, type, sent, { before: null, isNew: true }, tx);
    const externalId = textMember(sent, 'externalId') ?? null;
    await checkExternalId(exchange, type, externalId, null, tx);
    const target = needs.engine.registry.require(type.targetModel);
    const body = {
      name: '',
      ...properties,
      ...(type.hasMembers && { users: await memberKeys(listMember(sent, 'members'), source, tx) }),
    };
    const { pk, values } = await createRow({ engine: needs.engine, resource: target, call: asSystem(call), tx }, body);
    await vouchFor(exchange, pk, properties.email, tx);
    const record = needs.engine.registry.require(type.recordModel);
    const row = {
      id: await recordId(record, externalId, tx),
      [type.column]: pk,
      source: source.pk,
      attributes: sent,
      external_id: externalId,
      is_own: true,
      created: call.now,
      last_updated: call.now,
    };
    await insertRow(record, row, call, tx);
    await recordScimWrite(exchange, type, tx, { verb: 'created', pk, values, changed: Object.keys(body) });
    return show(exchange, type, String(type.idColumn === 'pk' ? pk : values[type.idColumn]), tx);
  });
  const location = textMember(resource.meta, 'location') ?? '';
  const answer = answerWith(201, exchange, type, resource);
  return { ...answer, headers: { ...answer.headers, location } };
}

/**
 * Omitted attributes keep their values (RFC 7644, section 3.5.1, lets the server choose): many clients send partial
 * documents.
 */
export function replace(exchange: ScimRequest, type: ResourceType, id: string): Promise<ScimResponse> {
  const sent = canonicalDocument(type, exchange.body());
  return change(exchange, type, id, (resource, row) => {
    const kept = type.kept.filter((name) => !(name in sent) && name in resource);
    const whole = { ...sent, ...Object.fromEntries(kept.map((name) => [name, resource[name]])) };
    return { sent: whole, before: null, isSame: isSameJson(whole, storedDocument(row)) };
  });
}

export function patch(exchange: ScimRequest, type: ResourceType, id: string): Promise<ScimResponse> {
  const body = exchange.body();
  return change(exchange, type, id, (resource) => {
    const before = canonicalDocument(type, resource);
    const sent = patchDocument(type, before, body);
    return { sent, before, isSame: isSameJson(sent, before) };
  });
}

interface Change {
  readonly sent: ScimObject;
  /** The document that a PATCH was applied to: what it has and `sent` has not is to go. */
  readonly before: ScimObject | null;
  readonly isSame: boolean;
}

async function change(
  exchange: ScimRequest,
  type: ResourceType,
  id: string,
  changeOf: (resource: ScimObject, row: RecordRow) => Change,
): Promise<ScimResponse> {
  const resource = await inScimWrite(exchange, type, async (tx) => {
    const { row, shown } = await findForWrite(exchange, type, id, tx);
    const next = changeOf(shown, row);
    const { sent, before, isSame } = next;
    checkSize(sent, storedDocument(row));
    if (textMember(sent, type.naming.attribute) === undefined) throw missingName(type);
    const changed = await writeTarget(exchange, type, row, next, tx);
    if (isSame && changed.length === 0) return shown;
    const externalId = textMember(sent, 'externalId') ?? (before ? null : row.external_id);
    await checkExternalId(exchange, type, externalId, row.pk, tx);
    const { call, needs } = exchange;
    const values = { attributes: sent, external_id: externalId, last_updated: call.now };
    await updateColumns(needs.engine.registry.require(type.recordModel), row.pk, values, call, tx);
    await recordScimWrite(exchange, type, tx, {
      verb: 'updated',
      pk: row.target,
      values: { name: row.name, username: row.username },
      changed,
    });
    return show(exchange, type, id, tx);
  });
  return answerWith(200, exchange, type, resource);
}

/** Brings the user or group up to the document; returns what of it has changed. */
async function writeTarget(
  exchange: ScimRequest,
  type: ResourceType,
  row: RecordRow,
  { sent, before }: Change,
  tx: Query,
): Promise<string[]> {
  const { needs, call, source } = exchange;
  const target = needs.engine.registry.require(type.targetModel);
  const current = await needs.engine.stored(target, call)(call, tx, row.target);
  if (!current) throw new ScimError(404, `${type.name} not found.`);
  const properties = await mapProperties(exchange, type, sent, { before, isNew: false }, tx);
  const wanted: Row = { ...properties };
  if (isJsonObject(current.attributes) && isJsonObject(properties.attributes)) {
    wanted.attributes = deepMerge(current.attributes, properties.attributes);
  }
  if (type.hasMembers && ('members' in sent || before)) {
    const [own, others] = [
      await memberKeys(listMember(sent, 'members'), source, tx),
      await otherMembers(row.target, source, tx),
    ];
    wanted.users = [...own, ...others];
  }
  const body = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSameValue(value, current[name])));
  if (Object.keys(body).length === 0) {
    if (exchange.source.trust_emails && !(await isPrivileged(exchange, type, row, tx)))
      await vouchFor(exchange, row.target, properties.email, tx);
    return [];
  }
  // People leave, whatever they are allowed to do here.
  const isDeactivation = isSameJson(body, { is_active: false });
  if (!isDeactivation && (await isPrivileged(exchange, type, row, tx))) {
    throw new ScimError(
      403,
      `This ${type.name.toLowerCase()} holds permissions. A superuser must set manages_privileged on the source first.`,
    );
  }
  await updateRow(
    { engine: needs.engine, resource: target, call: asSystem(call), tx },
    row.target,
    current,
    body,
    'patch',
  );
  await vouchFor(exchange, row.target, body.email, tx);
  return Object.keys(body);
}

/** Whether the user or group holds permissions and the source may not change such. */
async function isPrivileged({ source }: ScimRequest, type: ResourceType, { target }: RecordRow, tx: Query) {
  if (source.manages_privileged) return false;
  const { rows } = await sql`select 1 from (${type.grants(target)}) as held limit 1`.execute(tx);
  return rows.length > 0;
}

/** A client that is trusted with addresses verifies those that it sends. */
async function vouchFor(
  { source, call }: ScimRequest,
  user: string | number,
  email: unknown,
  tx: Query,
): Promise<void> {
  if (!source.trust_emails || typeof user !== 'number' || typeof email !== 'string') return;
  await recordEmailProof(tx, { email, by: 'scim' }, user, call.now);
}

/** Keys come in no order of their own. */
const isSameValue = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && new Set(one).isSubsetOf(new Set(other))
    : isSameJson(one, other);

/**
 * Deletes an object that the source has created. Objects that existed before, or hold permissions, are unlinked, and
 * users are deactivated.
 */
export async function remove(exchange: ScimRequest, type: ResourceType, id: string): Promise<ScimResponse> {
  await inScimWrite(exchange, type, async (tx) => {
    const { needs, call } = exchange;
    const { row } = await findForWrite(exchange, type, id, tx);
    const target = needs.engine.registry.require(type.targetModel);
    const current = await needs.engine.stored(target, call)(call, tx, row.target);
    if (!current) throw new ScimError(404, `${type.name} not found.`);
    const event = { pk: row.target, values: current, changed: [] };
    if (row.is_own && !(await isPrivileged(exchange, type, row, tx))) {
      await destroyRow({ engine: needs.engine, resource: target, call: asSystem(call), tx }, row.target, current);
      await recordScimWrite(exchange, type, tx, { ...event, verb: 'deleted' });
      return;
    }
    const { table } = needs.engine.registry.require(type.recordModel);
    await sql`delete from ${sql.table(table)} where pk = ${row.pk}`.execute(tx);
    if (row.is_active) {
      await updateRow(
        { engine: needs.engine, resource: target, call: asSystem(call), tx },
        row.target,
        current,
        { is_active: false },
        'patch',
      );
    }
    await recordScimWrite(exchange, type, tx, { ...event, verb: 'unlinked' });
  });
  return { status: 204 };
}

async function findForWrite(exchange: ScimRequest, type: ResourceType, id: string, tx: Query) {
  const row = await findRecord(exchange, type, id, tx, exchange.call.db.dialect.forUpdate);
  const shown = showRecord(exchange, type, row, await membersOf(exchange, type, row, tx));
  checkVersion(exchange, shown);
  if (await type.isProtected(tx, row.target)) {
    throw new ScimError(403, 'Superusers, their groups and internal accounts are not changed by sources.');
  }
  return { row, shown };
}

async function show(exchange: ScimRequest, type: ResourceType, id: string, tx: Query): Promise<ScimObject> {
  const row = await findRecord(exchange, type, id, tx);
  return showRecord(exchange, type, row, await membersOf(exchange, type, row, tx));
}

const answerWith = (
  status: number,
  { query }: ScimRequest,
  type: ResourceType,
  resource: ScimObject,
): ScimResponse => ({
  status,
  body: project(resource, projectionOf(query, type)),
  headers: { etag: versionOf(resource) },
});

const missingName = ({ name, naming }: ResourceType) =>
  new ScimError(400, `Invalid ${name.toLowerCase()}: ${naming.attribute} is required.`, 'invalidValue');

async function checkExternalId(
  { needs, source }: ScimRequest,
  type: ResourceType,
  externalId: string | null,
  record: number | null,
  tx: Query,
): Promise<void> {
  if (externalId === null) return;
  const { table } = needs.engine.registry.require(type.recordModel);
  const { rows } = await sql`select 1 from ${sql.table(table)} where source = ${source.pk}
    and external_id = ${externalId} and pk <> ${record ?? 0}`.execute(tx);
  if (rows.length === 0) return;
  throw new ScimError(409, `A ${type.name.toLowerCase()} with this externalId exists already.`, 'uniqueness');
}

/** Records are named by their external ids as far as those are free: two sources may have the same. */
async function recordId({ table }: Resource, externalId: string | null, tx: Query): Promise<string> {
  if (externalId === null || externalId.trim() === '') return randomUuid();
  const { rows } = await sql`select 1 from ${sql.table(table)} where id = ${externalId}`.execute(tx);
  return rows.length === 0 ? externalId : randomUuid();
}
