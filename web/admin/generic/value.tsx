import type { ReactNode } from 'react';
import type { ValueLabels } from '../../../src/resource/document/json-schema.ts';
import { Code } from '../../elements/code.tsx';
import { ExactMoment, Moment } from '../../elements/moment.tsx';
import { safeAddress } from '../../flow/safe-address.ts';
import { known, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import type { Member } from '../api/document.ts';
import type { Names } from '../api/objects.ts';
import { kindName, numberText, plainNumberText, spelled } from '../labels.ts';
import { Link } from '../link.tsx';
import { shippedLabel } from '../shipped-labels.ts';
import { durationText } from '../widgets/duration-words.ts';
import { Unreadable } from '../widgets/widget-props.ts';
import { nestedWords } from './nested.ts';

interface Props {
  readonly member: Member;
  readonly value: unknown;
  readonly names: Names;
  /** For tables: short, and without links beside the link of the row. */
  readonly isBrief?: boolean;
}

const maxListed = 3;

/** Members with default texts from the server, which are translated. */
const saidByServer: ReadonlySet<string> = new Set(['description', 'mode_verbose']);
const kindsOfObjects: ReadonlySet<string> = new Set(['model_verbose', 'verbose_name']);
/** Members without a list of choices whose values have names all the same. */
const choices: ReadonlySet<string> = new Set(['action', 'private_key_type']);

/** A value of a member, as people read it. */
export function Value({ member: { name, note, schema }, value, names, isBrief = false }: Props): ReactNode {
  if (value === null || value === undefined || value === '') return <Nothing />;
  if (value instanceof Unreadable) return <Code text={value.text} />;
  const words = nestedWords(name, value, schema);
  if (words) return <Lines texts={words} isBrief={isBrief} />;
  switch (note.kind) {
    case 'flag':
      return <Flag value={value === true} />;
    case 'time':
      return isBrief ? <Moment at={String(value)} /> : <ExactMoment at={String(value)} />;
    case 'choice':
      return spelled(value, note.labels);
    case 'secret':
      return isEmpty(value) ? <Nothing /> : t('Set');
    case 'number':
      return typeof value === 'number' ? plainNumberText(value) : String(value);
    case 'duration':
      return durationText(String(value)) ?? String(value);
    case 'reference':
    case 'references':
      return <Objects model={note.model} value={value} names={names} isBrief={isBrief} />;
    case 'list':
      return <Items items={[value].flat()} labels={schema.items?.enum && (note.labels ?? {})} isBrief={isBrief} />;
    case 'expression':
      return isBrief ? firstLine(value) : <Code text={String(value)} />;
    case 'file':
      return isBrief ? firstLine(value) : <Picture address={String(value)} />;
    default: {
      if (typeof value === 'object') return isBrief ? <Brief value={value} /> : <Json value={value} />;
      if (typeof value === 'boolean') return <Flag value={value} />;
      const isLong = note.lines === true || schema.type === 'object';
      return <Text text={textOf(name, String(value), note.labels)} isBrief={isBrief} isLong={isLong} />;
    }
  }
}

function textOf(member: string, value: string, labels: ValueLabels | undefined): string {
  if (kindsOfObjects.has(member)) return kindName(value);
  if (choices.has(member)) return spelled(value, labels);
  return saidByServer.has(member) ? known(value) : value;
}

const Nothing = () => (
  <span className="quiet">
    <span aria-hidden="true">–</span>
    <span className="visually-hidden">{t('nothing')}</span>
  </span>
);

const Flag = ({ value }: { value: boolean }) => (
  <span className={value ? 'tag tag-good' : 'tag'}>{t(value ? 'Yes' : 'No')}</span>
);

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const firstLine = (value: unknown) => String(value).split('\n', 1)[0];
const Json = ({ value }: { value: object }) =>
  isEmpty(value) ? <Nothing /> : <Code text={JSON.stringify(value, null, 2)} />;

function Text({ text, isBrief, isLong }: { text: string; isBrief: boolean; isLong: boolean }) {
  if (isBrief) return <bdi>{firstLine(text)}</bdi>;
  if (isLong || text.includes('\n')) return <Code text={text} />;
  if (text.startsWith('data:image/')) return <img src={text} alt="" width="48" height="48" />;
  // Several addresses in one text are no address.
  const address = /^https?:[^\s,]+$/.test(text) ? safeAddress(text) : null;
  return address ? (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  ) : (
    <bdi>{text}</bdi>
  );
}

const Picture = ({ address }: { address: string }) => (
  <span className="picture">
    <img src={safeAddress(address) ?? ''} alt="" width="48" height="48" />
    <bdi>{address}</bdi>
  </span>
);

/** What a nested object is called. */
function calledBy(value: object): string {
  const members = new Map(Object.entries(value));
  for (const name of ['name', 'username', 'title', 'label', 'identifier', 'sentence', 'slug', 'pk', 'id', 'action']) {
    const text = members.get(name);
    if (typeof text === 'string' || typeof text === 'number') return String(text);
  }
  return JSON.stringify(value);
}

/** Nested flows have their slug. */
function labelOfNested(value: object): string {
  const name = calledBy(value);
  return shippedLabel(name, 'designation' in value && 'slug' in value ? value.slug : undefined) ?? name;
}

function Brief({ value }: { value: object }) {
  if (Array.isArray(value)) return t('{count, plural, one {# item} other {# items}}', { count: value.length });
  return isEmpty(value) ? <Nothing /> : calledBy(value);
}

function Objects({ model, value, names, isBrief }: { model: string | undefined } & Omit<Props, 'member'>) {
  const values = [value].flat();
  if (values.length === 0) return <Nothing />;
  const shown = isBrief ? values.slice(0, maxListed) : values;
  const parts = shown.map((one) => {
    const isNested = typeof one === 'object' && one !== null;
    const named = isNested ? undefined : names(model, one);
    const text = named?.label ?? (isNested ? labelOfNested(one) : String(one));
    return { key: isNested ? calledBy(one) : String(one), text, path: named?.path };
  });
  if (isBrief) {
    const count = values.length - shown.length;
    const names = parts.map(({ text }) => text).join(t(', '));
    return <bdi>{count > 0 ? t('{names} and {count, number} more', { names, count }) : names}</bdi>;
  }
  return (
    <ul className="plain-list">
      {parts.map(({ key, text, path }) => (
        <li key={key}>
          <bdi>{path ? <Link href={hrefOf(path)}>{text}</Link> : text}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Lines({ texts, isBrief }: { texts: readonly string[]; isBrief: boolean }) {
  if (isBrief) return <bdi>{texts.slice(0, maxListed).join(t(', '))}</bdi>;
  return (
    <ul className="plain-list">
      {texts.map((text) => (
        <li key={text}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

interface ItemsProps {
  readonly items: readonly unknown[];
  /** The labels of choices. */
  readonly labels: ValueLabels | undefined;
  readonly isBrief: boolean;
}

function Items({ items, labels, isBrief }: ItemsProps) {
  if (items.length === 0) return <Nothing />;
  if (items.some((item) => typeof item === 'object')) return isBrief ? <Brief value={items} /> : <Json value={items} />;
  const shown = isBrief ? items.slice(0, maxListed) : items;
  return (
    <ul className="tags">
      {shown.map((item) => (
        <li key={String(item)} className="tag">
          {labels ? spelled(item, labels) : String(item)}
        </li>
      ))}
      {shown.length < items.length && <li className="tag">+{numberText(items.length - shown.length)}</li>}
    </ul>
  );
}
