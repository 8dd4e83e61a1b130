import { isObject } from '../../api/is-object.ts';
import { Code } from '../../elements/code.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import { Value } from './value.tsx';

/** What an action has answered: its members as people read them, or JSON where nothing is known of them. */
export function ActionResult({ members, value }: { members: readonly Member[]; value: unknown }) {
  if (!isObject(value) || members.length === 0) return <Copyable text={textOf(value)} isLong />;
  const shown = members.filter(({ name }) => value[name] !== undefined);
  return (
    <section aria-label={t('Result')}>
      <dl className="facts">
        {shown.map((member) => (
          <div key={member.name}>
            <dt>{member.note.label}</dt>
            <dd>
              <Part member={member} value={value[member.name]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Texts can be copied; what is nested is shown as JSON. */
function Part({ member, value }: { member: Member; value: unknown }) {
  if (typeof value === 'string' && value !== '' && member.note.kind === 'text') {
    return <Copyable text={value} isLong={value.includes('\n')} />;
  }
  return <Value member={member} value={value} names={() => undefined} />;
}

function Copyable({ text, isLong }: { text: string; isLong: boolean }) {
  return (
    <div className="stack-tight">
      {isLong ? <Code text={text} /> : <code>{text}</code>}
      <div className="row">
        <CopyButton text={text} />
      </div>
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
