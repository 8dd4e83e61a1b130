import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import { toErrorResponse } from '../../platform/http/error-response.ts';
import { decoded } from '../../platform/http/router.ts';
import { checkCredential } from '../access/credentials.ts';
import type { Call } from '../call.ts';
import type { Operation } from '../document/operation.ts';
import { operationsOf } from '../document/operations.ts';
import type { Row } from '../fields/field.ts';
import { findVisible } from '../read/read.ts';
import { type UsedObject, usesOf } from '../read/used-by.ts';
import type { Engine, Resource } from '../resource.ts';
import { checkNames, wantsStrict } from './strict.ts';
import { inWrite, isDryRun } from './write.ts';

/** One write of a bulk call: a PATCH with these changes, or a DELETE. */
export interface BulkWrite {
  /** Of the object, as the API has it: `/core/groups/<key>/`. */
  readonly path: string;
  readonly changes?: Row;
  readonly delete?: boolean;
  readonly if_match?: string;
}

/** What a request of its own would have been answered. */
export interface BulkResult {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
  /** Of a deletion that is only tried: what refers to the object. */
  readonly used_by?: readonly Row[];
}

export interface BulkOutcome {
  readonly results: BulkResult[];
  /** For the log: what went wrong in the server itself. */
  readonly faults: readonly unknown[];
}

export type RunBulk = (call: Call, writes: readonly BulkWrite[], isAtomic: boolean) => Promise<BulkOutcome>;

/** Runs the operations that single writes would run, so that rights, validation and events are the same. */
export function createRunBulk(engine: Engine): RunBulk {
  const byResource = new Map<Resource, readonly Operation[]>();

  function operationFor({ path, delete: isDelete }: BulkWrite): Found {
    const [resource, key] = resourceAt(path, engine.registry.resources);
    const known = byResource.get(resource) ?? operationsOf(resource, engine);
    byResource.set(resource, known);
    const method = isDelete ? 'DELETE' : 'PATCH';
    const at = `${resource.path}{${resource.param}}/`;
    const operation = known.find((one) => one.method === method && one.path === at);
    if (!operation) throw new Problem('method_not_allowed', `Method "${method}" not allowed.`);
    return { resource, key, operation };
  }

  async function runOne(
    call: Call,
    write: BulkWrite,
    onFault: (fault: unknown) => void,
    tx?: Query,
  ): Promise<BulkResult> {
    const { path } = write;
    try {
      const { resource, key, operation } = operationFor(write);
      checkCredential(operation, call);
      const part = partOf(call, resource, key, write, tx);
      if (wantsStrict(call.request)) checkNames(operation, part);
      const { status, body = null } = await operation.handle(part);
      return { path, status, body };
    } catch (error) {
      const { status, body, fault } = toErrorResponse(error, call.request.id);
      if (fault) onFault(fault);
      return { path, status, body: JSON.parse(String(body)) };
    }
  }

  /**
   * Each by itself. Those after one that the database could not serve are not tried, so that the caller need not wait.
   */
  async function runAll(call: Call, writes: readonly BulkWrite[]): Promise<BulkOutcome> {
    const results: BulkResult[] = [];
    const faults: unknown[] = [];
    for (const write of writes) {
      if (faults.some(isUnreachable)) results.push(notWritten(write));
      else results.push(await runOne(call, write, (fault) => faults.push(fault)));
    }
    const [first] = faults;
    if (isUnreachable(first) && results.every(({ status }) => status >= 400)) throw first;
    return { results, faults };
  }

  /** All in one transaction, up to the first refusal, which undoes what was before it. */
  async function runTogether(call: Call, writes: readonly BulkWrite[]): Promise<BulkResult[]> {
    const rethrow = (fault: unknown) => {
      throw fault;
    };
    try {
      return await inWrite(call, null, async (tx) => {
        const results: BulkResult[] = [];
        for (const write of writes) {
          const result = await runOne(call, write, rethrow, tx);
          if (result.status >= 400) throw new Refused(writes.map((one) => (one === write ? result : notWritten(one))));
          results.push(result);
        }
        return results;
      });
    } catch (error) {
      if (error instanceof Refused) return error.results;
      throw error;
    }
  }

  /** Deletions that were tried, with what refers to their objects: a few statements for all objects of a resource. */
  async function withUses(call: Call, writes: readonly BulkWrite[], results: BulkResult[]): Promise<BulkResult[]> {
    const tried = new Map<Resource, Map<string, UsedObject>>();
    for (const [at, write] of writes.entries()) {
      if (!write.delete || results[at]?.status !== 204) continue;
      const { resource, key } = operationFor(write);
      if (!resource.verbs.includes('used_by')) continue;
      const { pk, values } = await findVisible(
        { engine, resource, call: partOf(call, resource, key, write), tx: call.db.read },
        'know',
      );
      const objects = tried.get(resource) ?? new Map<string, UsedObject>();
      tried.set(resource, objects.set(write.path, { pk, kind: values.kind }));
    }
    const uses = new Map<string, readonly Row[]>();
    for (const [resource, objects] of tried) {
      const found = await usesOf(engine, resource, [...objects.values()], call);
      for (const [path, { pk }] of objects) uses.set(path, found.get(pk) ?? []);
    }
    return results.map((result) => {
      const used_by = uses.get(result.path);
      return used_by ? { ...result, used_by } : result;
    });
  }

  return async (call, writes, isAtomic) => {
    const { results, faults } = isAtomic
      ? { results: await runTogether(call, writes), faults: [] }
      : await runAll(call, writes);
    return { results: isDryRun(call) ? await withUses(call, writes, results) : results, faults };
  };
}

interface Found {
  readonly resource: Resource;
  readonly key: string;
  readonly operation: Operation;
}

class Refused extends Error {
  readonly results: BulkResult[];
  constructor(results: BulkResult[]) {
    super('a write of an atomic bulk call was refused');
    this.results = results;
  }
}

const notWritten = ({ path }: BulkWrite): BulkResult => {
  const problem = new Problem('not_written');
  return { path, status: problem.status, body: problem.body() };
};

/** The resource that an object's path is below, and the object's key. */
function resourceAt(path: string, resources: readonly Resource[]): [Resource, string] {
  const at = path.slice(0, -1).lastIndexOf('/') + 1;
  const resource = path.endsWith('/') ? resources.find((one) => one.path === path.slice(0, at)) : undefined;
  const key = decoded(path.slice(at, -1));
  if (!resource || key === null || key === '') throw new Problem('not_found');
  return [resource, key];
}

/** The call of one write, as if it had come by itself. */
function partOf(call: Call, resource: Resource, key: string, write: BulkWrite, tx?: Query): Call {
  const { request } = call;
  return {
    ...call,
    params: { [resource.param]: key },
    request: {
      ...request,
      query: new URLSearchParams(isDryRun(call) ? { dry_run: 'true' } : {}),
      header: (name) => (name === 'if-match' ? write.if_match : request.header(name)),
    },
    body: () => write.changes ?? {},
    ...(tx && { tx }),
  };
}
