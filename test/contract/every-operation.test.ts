import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/resource/document/operation.ts';
import { countEvents } from '../support/events.ts';
import { describeOnBoth } from '../support/server.ts';
import { prepareRequest } from './drive.ts';
import { dryRunnableIds, type Ground, operationIds, prepareGround, standardIds } from './every-resource.ts';
import { operationHints } from './hints.ts';

const drivable = operationIds.filter((id) => !operationHints[id]?.undrivable);

describeOnBoth('every operation', (server, kind) => {
  let ground: Ground | undefined;
  const here = () => ground as Ground;
  const find = (id: string) => server().app.operations.find((operation) => operation.id === id) as Operation;
  beforeAll(async () => {
    ground = await prepareGround(server());
  });

  test.each(drivable)('%s answers as documented, and records an event when it writes', async (id) => {
    const operation = find(id);
    const { path, body } = await prepareRequest(here(), operation);
    const api = operation.anonymous ? here().nobody : here().admin;
    const events = await countEvents(server());
    const answer = await api.send(operation.method, path, body);
    expect([path, body, answer.status, answer.text]).toEqual([path, body, operation.answer.status, answer.text]);
    const table = server().app.engine.registry.require('svc_events.event').operationPrefix;
    const own = id === `${table}_create` ? 1 : id === `${table}_destroy` ? -1 : 0;
    const expected = operationHints[id]?.events?.count ?? (operation.method === 'GET' ? 0 : 1);
    expect((await countEvents(server())) - events - own).toBe(expected);
  });

  // The standard verbs are tried dry with the writes of each resource. Undoing is left to the database: a few
  // operations show that PostgreSQL does it.
  const dryRunnable = drivable.filter((id) => dryRunnableIds.has(id) && !standardIds.has(id));
  const writing = kind === 'sqlite' ? dryRunnable : dryRunnable.slice(0, 10);
  test.each(writing)('%s as a dry run writes nothing', async (id) => {
    const operation = find(id);
    const { path, body } = await prepareRequest(here(), operation);
    const before = await here().stored.counts();
    const answer = await here().admin.send(
      operation.method,
      `${path}${path.includes('?') ? '&' : '?'}dry_run=true`,
      body,
    );
    expect([answer.status, answer.text]).toEqual([operation.answer.status, answer.text]);
    expect(await here().stored.counts()).toEqual(before);
  });

  test('has succeeded at least once, except those marked undrivable in the hints', () => {
    const missed = operationIds.filter((id) => !here().check.succeeded.has(id));
    const excused = missed.filter((id) => operationHints[id]?.undrivable);
    expect(missed.filter((id) => !excused.includes(id))).toEqual([]);
    const unknown = Object.keys(operationHints).filter((id) => !operationIds.includes(id));
    expect(unknown).toEqual([]);
  });
});
