import {
  BerError,
  ber,
  contentOf,
  context,
  encode,
  encodeInteger,
  encodeText,
  readBoolean,
  readElements,
  readInteger,
} from '../../../../lib/ldap/ber.ts';
import { normalizeType } from '../../../../lib/ldap/dn.ts';
import { type Control, type ResponseControl, readText } from '../../../../lib/ldap/message.ts';
import { type ResultCode, resultCodes } from '../../../../lib/ldap/result-codes.ts';

const paged = '1.2.840.113556.1.4.319';
const sort = '1.2.840.113556.1.4.473';
const sorted = '1.2.840.113556.1.4.474';
/** Referrals are entries like others: there are none. */
const manageDsaIt = '2.16.840.1.113730.3.4.2';
export const supportedControls = [paged, sort, manageDsaIt] as const;

export interface Paging {
  readonly size: number;
  readonly cookie: string;
}

export interface SortKey {
  readonly type: string;
  readonly isReverse: boolean;
}

export interface SearchControls {
  readonly paging: Paging | null;
  readonly sort: { readonly keys: readonly SortKey[]; readonly isCritical: boolean } | null;
  /** Whether the client insists on one that is not supported. */
  readonly isUnsupported: boolean;
}

const maxSortKeys = 5;

/** Throws a `BerError` if a control is malformed. */
export function readSearchControls(controls: readonly Control[]): SearchControls {
  const known: readonly string[] = supportedControls;
  const find = (oid: string) => controls.find((control) => control.oid === oid);
  const sorting = find(sort);
  return {
    paging: readPaging(find(paged)),
    sort: sorting ? { keys: readSortKeys(sorting), isCritical: sorting.isCritical } : null,
    isUnsupported: controls.some(({ oid, isCritical }) => isCritical && !known.includes(oid)),
  };
}

/** RFC 2696. */
function readPaging(control: Control | undefined): Paging | null {
  if (!control) return null;
  const budget = { elements: 10 };
  const [value] = readElements(control.value ?? Buffer.alloc(0), budget);
  const [size, cookie] = readElements(contentOf(value, ber.sequence), budget);
  const wanted = readInteger(size);
  if (wanted < 0) throw new BerError('the size of a page is negative');
  return { size: wanted, cookie: contentOf(cookie, ber.octetString).toString('hex') };
}

/** RFC 2891. */
function readSortKeys(control: Control): SortKey[] {
  const budget = { elements: 100 };
  const [value] = readElements(control.value ?? Buffer.alloc(0), budget);
  const keys = readElements(contentOf(value, ber.sequence), budget).map((key) => {
    const [type, ...options] = readElements(contentOf(key, ber.sequence), budget);
    const reverse = options.find(({ tag }) => tag === (context | 1));
    return { type: normalizeType(readText(type)), isReverse: reverse ? readBoolean(reverse, context | 1) : false };
  });
  if (keys.length === 0 || keys.length > maxSortKeys) throw new BerError('a sort has one to five keys');
  return keys;
}

export const pagedControl = (cookie: string): ResponseControl => ({
  oid: paged,
  // How many entries there are is not estimated.
  value: encode(ber.sequence, encodeInteger(0), encodeText(Buffer.from(cookie, 'hex'))),
});

export const sortedControl = (code: ResultCode): ResponseControl => ({
  oid: sorted,
  value: encode(ber.sequence, encodeInteger(resultCodes[code], ber.enumerated)),
});
