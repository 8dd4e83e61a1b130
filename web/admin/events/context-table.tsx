import '../generic/detail.css';
import type { ReactNode } from 'react';
import { isObject } from '../../api/is-object.ts';
import { Code } from '../../elements/code.tsx';
import { t } from '../../texts/texts.ts';
import { spelled } from '../labels.ts';

interface Fact {
  readonly label: string;
  readonly value: string;
}

const maxDepth = 3;

/** What an event holds beside changes and request, as a table; the JSON of it is folded. */
export function ContextTable({ context }: { context: Readonly<Record<string, unknown>> }): ReactNode {
  const { diff, http_request, ...rest } = context;
  const facts = factsIn(rest, [], 0);
  if (facts.length === 0) return null;
  return (
    <div className="stack-tight">
      <dl className="facts">
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>{t('As JSON')}</summary>
        <Code text={JSON.stringify(rest, null, 2)} />
      </details>
    </div>
  );
}

/** One line for each value; objects that have a name are called by it. */
function factsIn(values: Readonly<Record<string, unknown>>, above: readonly string[], depth: number): Fact[] {
  return Object.entries(values).flatMap(([name, value]): Fact[] => {
    const path = [...above, spelled(name)];
    const one = (text: string) => [{ label: path.join(' › '), value: text }];
    if (value === null || value === undefined || value === '') return [];
    if (typeof value === 'boolean') return one(t(value ? 'Yes' : 'No'));
    if (Array.isArray(value)) {
      if (value.length === 0) return [];
      return one(value.map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item))).join(t(', ')));
    }
    if (!isObject(value)) return one(String(value));
    if (typeof value.name === 'string' && value.name !== '') return one(value.name);
    return depth < maxDepth ? factsIn(value, path, depth + 1) : one(JSON.stringify(value));
  });
}
