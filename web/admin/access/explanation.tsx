import { Code } from '../../elements/code.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';

interface ExplainedBinding {
  readonly binding: string;
  readonly name: string;
  readonly negate: boolean;
  readonly passing: boolean;
  readonly messages: readonly string[];
  readonly logs: readonly string[];
}

interface ExplainedNode {
  readonly pk: string;
  readonly model: string;
  readonly name: string;
  readonly mode: 'all' | 'any';
  readonly enabled: boolean;
  readonly passing: boolean;
  readonly bindings: readonly ExplainedBinding[];
}

interface Answer {
  readonly passing: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  readonly nodes: readonly ExplainedNode[];
}

/** The tree of bindings with the result of each. */
export function Explanation({ person, target }: { person: string; target: string }) {
  const answer = useAnswer<Answer>(`/policies/explain/?${new URLSearchParams({ user: person, target })}`);
  return (
    <Loaded {...answer}>
      {({ passing, nodes, input }) => {
        const [first, ...stages] = nodes;
        return (
          <div className="stack">
            <Notice tone={passing ? 'good' : 'bad'}>
              <strong>{passing ? 'Yes.' : 'No.'}</strong> {first && reasonOf(first)}
            </Notice>
            {first && <Tree nodes={[first]} label="Bindings" />}
            {stages.length > 0 && (
              <section className="stack-tight" aria-label="Stages">
                <h2>Stages of the flow</h2>
                <p className="quiet">
                  What stages find out on the way is not known here, so bindings that look at it may decide otherwise.
                </p>
                <Tree nodes={stages} label="Stages" />
              </section>
            )}
            {Object.keys(input).length > 0 && (
              <details className="card">
                <summary>What policies see of the person</summary>
                <Code text={JSON.stringify(input, null, 2)} />
              </details>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** In a sentence, what decided. */
function reasonOf({ name, mode, passing, bindings, enabled }: ExplainedNode): string {
  if (!enabled) return t('{name} is switched off.', { name });
  if (bindings.length === 0) return `Nothing is bound to ${name}, so it is open to everybody.`;
  const deciding = bindings.filter((binding) => binding.passing === passing).map((binding) => binding.name);
  const list = new Intl.ListFormat('en').format(deciding);
  if (passing)
    return mode === 'any' ? `${name} is open by ${list}.` : `Everything bound to ${name} lets the person in.`;
  return mode === 'any' ? `Nothing bound to ${name} lets the person in.` : `${name} is closed by ${list}.`;
}

const paths: Readonly<Record<string, string>> = { 'svc_flows.flowstagebinding': '/flows/bindings/' };

function Tree({ nodes, label }: { nodes: readonly ExplainedNode[]; label: string }) {
  return (
    <ul className="access-tree" aria-label={label}>
      {nodes.map((node) => {
        const path = paths[node.model];
        return (
          <li key={node.pk} className="card stack-tight">
            <div className="access-node">
              <Result passing={node.passing} />
              <strong>{path ? <Link href={hrefOf(`${path}${node.pk}/`)}>{node.name}</Link> : node.name}</strong>
              <span className="quiet small">
                {!node.enabled && `${t('Switched off: closed to everybody.')} `}
                {node.bindings.length === 0
                  ? 'Nothing is bound: open to everybody.'
                  : node.mode === 'any'
                    ? 'One has to pass.'
                    : 'All have to pass.'}
              </span>
            </div>
            {node.bindings.length > 0 && (
              <ul className="access-bindings">
                {node.bindings.map((binding) => (
                  <li key={binding.binding}>
                    <div className="access-node">
                      <Result passing={binding.passing} />
                      <Link href={hrefOf(`/policies/bindings/${binding.binding}/`)}>
                        {binding.negate && 'not '}
                        {binding.name}
                      </Link>
                    </div>
                    {binding.messages.map((text) => (
                      <p key={text} className="small">
                        Message: “{text}”
                      </p>
                    ))}
                    {binding.logs.map((text) => (
                      <p key={text} className="quiet small">
                        Log: {text}
                      </p>
                    ))}
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const Result = ({ passing }: { passing: boolean }) => (
  <span className={passing ? 'tag tag-good' : 'tag tag-alert'}>{passing ? 'passes' : 'fails'}</span>
);
