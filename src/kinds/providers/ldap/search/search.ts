import { hash, randomBytes } from 'node:crypto';
import { BerError } from '../../../../lib/ldap/ber.ts';
import { isSameDn, parseDn } from '../../../../lib/ldap/dn.ts';
import type { Filter } from '../../../../lib/ldap/filter.ts';
import {
  encodeEntry,
  encodeResult,
  type ResponseControl,
  type Result,
  responses,
  type SearchRequest,
} from '../../../../lib/ldap/message.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import { holdsOn } from '../../../../resource/access/access.ts';
import type { Call } from '../../../../resource/call.ts';
import { ldapModel, searchPermission } from '../ldap-model.ts';
import { subschema } from '../schema.ts';
import { actorOf } from '../server/authority.ts';
import type { Session } from '../server/client.ts';
import type { Running } from '../server/connection.ts';
import { limits } from '../server/limits.ts';
import { providerOf, servedProviders } from '../server/served-providers.ts';
import { pagedControl, readSearchControls, type SearchControls, sortedControl } from './controls.ts';
import type { View } from './entry-kind.ts';
import { rootDse } from './fixed-entries.ts';
import { type Entry, matches } from './match.ts';
import type { Page } from './page.ts';
import { isLeaf, type Part, partsOf } from './parts.ts';
import { isSelected, type Selection, selected, selectionOf } from './select.ts';
import { readSorted, sortFound } from './sorted.ts';
import { type Found, type Position, start, walkParts } from './walk-parts.ts';

const subschemaDn = [[{ type: 'cn', value: 'subschema' }]];
/** Those that take statements or memory of their own. */
const costly = ['memberof', 'member', 'memberuid', 'xak-superuser'];

/** What a client may see of the tree that a name is in, or why it sees nothing. */
export async function viewOf(
  needs: ServerNeeds,
  call: Call,
  { authority, outpost }: Session,
  base: string,
): Promise<{ readonly view: View; readonly dn: NonNullable<ReturnType<typeof parseDn>> } | Result> {
  const dn = parseDn(base);
  if (!dn) return { code: 'invalidDNSyntax', message: 'The name is malformed.' };
  if (!authority) return { code: 'insufficientAccessRights', message: 'Bind first: anonymous clients see nothing.' };
  const actor = await actorOf(needs, call, authority);
  if (!actor) return { code: 'insufficientAccessRights', message: 'The account has changed: bind again.' };
  const providers = await servedProviders(call.db, outpost);
  const provider = dn.length === 0 ? providers.find(({ pk }) => pk === authority.provider) : providerOf(providers, dn);
  if (!provider) return { code: 'noSuchObject' };
  if (provider.pk !== authority.provider)
    return { code: 'insufficientAccessRights', message: 'You are bound to another directory.' };
  const resource = needs.engine.registry.require(ldapModel);
  const seesAll = await holdsOn(actor, searchPermission, resource, provider.pk, call.db.read);
  const { pk, username } = actor.user;
  const view: View = {
    ...{ query: call.db.read, dialect: call.db.dialect, provider, installId: needs.installId },
    only: seesAll ? null : { pk, username },
  };
  return { view, dn: dn.length === 0 ? provider.base : dn };
}

/** Answers a search: entries one by one, then the result. */
export function createSearch(needs: ServerNeeds & { readonly version: string }) {
  return async (call: Call, running: Running, session: Session): Promise<void> => {
    const { message, send } = running;
    const { operation } = message;
    if (operation.op !== 'search') return;
    const done = (result: Result, controls: readonly ResponseControl[] = []) =>
      send(encodeResult(message.id, responses.searchDone, result, controls));
    let controls: SearchControls;
    try {
      controls = readSearchControls(message.controls);
    } catch (error) {
      if (!(error instanceof BerError)) throw error;
      return done({ code: 'protocolError', message: error.message });
    }
    if (controls.isUnsupported)
      return done({ code: 'unavailableCriticalExtension', message: 'A critical control is not supported.' });
    if (partCount(operation.filter) > limits.filterParts)
      return done({ code: 'adminLimitExceeded', message: 'The filter has too many parts.' });
    const selection = selectionOf(operation.attributes);
    const fixed = await fixedEntry(needs, call, session, operation);
    if (fixed) {
      if (matches(operation.filter, fixed)) await sendEntry(running, operation, fixed, selection, []);
      return done({ code: 'success' });
    }
    const seen = await viewOf(needs, call, session, operation.base);
    if ('code' in seen) return done(seen);
    const parts = partsOf(seen.view, seen.dn, operation.scope);
    if (!parts) return done({ code: 'noSuchObject', matched: seen.view.provider.base_dn });
    const search: Searching = { running, operation, session, view: seen.view, parts, selection, controls };
    const end = await run(search);
    if (end) return done(end.result, end.controls);
  };
}

/** Values that are compared with all attributes of an entry count like comparisons with so many. */
const usualAttributes = 20;

function partCount(filter: Filter): number {
  if (filter.is === 'not') return 1 + partCount(filter.of);
  if (filter.is === 'substrings') return 1 + filter.any.length;
  if (filter.is === 'extensible') return filter.attribute === null ? usualAttributes : 1;
  if (filter.is !== 'and' && filter.is !== 'or') return 1;
  return filter.of.reduce((sum, part) => sum + partCount(part), 1);
}

/** The entries outside of all trees: they are found by their own names alone. */
async function fixedEntry(
  { version }: { readonly version: string },
  call: Call,
  { authority, outpost }: Session,
  { base, scope }: SearchRequest,
): Promise<Entry | null> {
  if (scope !== 'base') return null;
  const isRoot = base.trim() === '';
  const dn = isRoot ? [] : parseDn(base);
  if (!isRoot && !(dn && isSameDn(dn, subschemaDn))) return null;
  const served = authority ? await servedProviders(call.db, outpost) : [];
  const own = served.filter(({ pk }) => pk === authority?.provider);
  return isRoot ? rootDse(own, version) : subschema(own.flatMap(({ published }) => published));
}

interface Searching {
  readonly running: Running;
  readonly operation: SearchRequest;
  readonly session: Session;
  readonly view: View;
  readonly parts: readonly Part[];
  readonly selection: Selection;
  readonly controls: SearchControls;
}

interface End {
  readonly result: Result;
  readonly controls: readonly ResponseControl[];
}

/** Null: the client has abandoned the search. */
async function run(searching: Searching): Promise<End | null> {
  const { running, operation, session, view, parts, selection, controls } = searching;
  const { filter, sizeLimit, timeLimit } = operation;
  const { paging } = controls;
  const deadline = Date.now() + Math.min(timeLimit === 0 ? limits.searchMs : timeLimit * 1000, limits.searchMs);
  const isOver = () => running.signal.aborted || Date.now() > deadline;
  const wanted = new Set(costly.filter((type) => isSelected(selection, type)));
  const page = paging ? takePage(searching) : { from: start, sent: 0, sorted: null };
  if (!page)
    return { result: { code: 'unwillingToPerform', message: 'The page does not exist any more.' }, controls: [] };
  if (paging && paging.size === 0 && paging.cookie !== '')
    return { result: { code: 'success' }, controls: [pagedControl('')] };

  const walk = { view, parts, filter, wanted, from: page.from, isOver };
  let { sorted } = page;
  const sorting = controls.sort;
  const answered: ResponseControl[] = [];
  if (sorting && !sorted) {
    sorted = await sortFound(walk, sorting.keys, isOver);
    if (running.signal.aborted) return null;
    if (!sorted && sorting.isCritical)
      return {
        result: { code: 'adminLimitExceeded', message: 'There are too many entries to sort.' },
        controls: [sortedControl('adminLimitExceeded')],
      };
    answered.push(sortedControl(sorted ? 'success' : 'adminLimitExceeded'));
  }
  const found = sorted ? readSorted(view, parts, sorted, wanted) : walkParts(walk);
  const most = sizeLimit > 0 ? sizeLimit - page.sent : Number.POSITIVE_INFINITY;
  const inPage = paging ? Math.min(paging.size || limits.entries, limits.entries) : Number.POSITIVE_INFINITY;
  const end = await sendAll(searching, found, { most: paging ? most : Math.min(most, limits.entries), inPage, isOver });
  if (!end) return null;
  if (!paging) return { result: await resultOf(searching, end), controls: answered };
  const cookie = end.because === 'page' ? keepPage(session, nextPage(searching, page, sorted, end)) : '';
  return { result: await resultOf(searching, end), controls: [...answered, pagedControl(cookie)] };
}

interface Sent {
  readonly count: number;
  readonly last: Position;
  readonly because: 'end' | 'page' | 'size' | 'time';
}

async function sendAll(
  { running, operation, selection, view }: Searching,
  found: AsyncGenerator<Found>,
  { most, inPage, isOver }: { readonly most: number; readonly inPage: number; isOver(): boolean },
): Promise<Sent | null> {
  let count = 0;
  let last = start;
  for await (const { entry, at } of found) {
    if (running.signal.aborted) return null;
    if (count >= most) return { count, last, because: 'size' };
    if (count >= inPage) return { count, last, because: 'page' };
    if (isOver()) return { count, last, because: 'time' };
    await sendEntry(running, operation, entry, selection, view.provider.published);
    count++;
    last = at;
  }
  if (running.signal.aborted) return null;
  return { count, last, because: isOver() ? 'time' : 'end' };
}

const sendEntry = (
  { message: { id }, send }: Running,
  { typesOnly }: SearchRequest,
  entry: Entry,
  selection: Selection,
  published: readonly string[],
): Promise<void> => send(encodeEntry(id, entry.dn, selected(entry, selection, { typesOnly, published })));

async function resultOf({ parts, view }: Searching, { because, count }: Sent): Promise<Result> {
  if (because === 'size') return { code: 'sizeLimitExceeded' };
  if (because === 'time') return { code: 'timeLimitExceeded' };
  const isMissing = because === 'end' && count === 0 && isLeaf(parts) && !(await hasEntry(view, parts));
  return isMissing ? { code: 'noSuchObject', matched: view.provider.base_dn } : { code: 'success' };
}

const anything: Filter = { is: 'present', attribute: 'objectClass' };

/** Whether the client sees an entry in these parts that matches. */
export async function hasEntry(view: View, parts: readonly Part[], filter = anything): Promise<boolean> {
  const { done } = await walkParts({ view, parts, filter, wanted: new Set(), from: start }).next();
  return !done;
}

/** A page belongs to one search of one connection. */
const fingerprint = ({ operation, view, controls }: Searching): string =>
  hash('sha256', JSON.stringify([operation, view.provider.pk, view.only, controls.sort]));

function takePage(searching: Searching): Pick<Page, 'from' | 'sent' | 'sorted'> | null {
  const { session, controls } = searching;
  const cookie = controls.paging?.cookie ?? '';
  if (cookie === '') return { from: start, sent: 0, sorted: null };
  const page = session.pages.get(cookie);
  session.pages.delete(cookie);
  return page?.search === fingerprint(searching) ? page : null;
}

function nextPage(searching: Searching, page: Pick<Page, 'sent'>, sorted: Page['sorted'], { count, last }: Sent): Page {
  return {
    search: fingerprint(searching),
    from: last,
    sent: page.sent + count,
    sorted: sorted?.slice(sorted.indexOf(last) + 1) ?? null,
  };
}

function keepPage({ pages }: Session, page: Page): string {
  const [oldest] = pages.keys();
  if (pages.size >= limits.pagedSearches && oldest !== undefined) pages.delete(oldest);
  const cookie = randomBytes(16).toString('hex');
  pages.set(cookie, page);
  return cookie;
}
