import type { AccessExplanation } from '../../api/types.ts';
import { Code } from '../../elements/code.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { pageLocale } from '../../texts/page-language.ts';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';

type ExplainedBinding = ExplainedNode['bindings'][number];

type ExplainedNode = AccessExplanation['nodes'][number];

/** The tree of bindings with the result of each. */
export function Explanation({ person, target }: { person: string; target: string }) {
  const answer = useAnswer<AccessExplanation>(`/policies/explain/?${new URLSearchParams({ user: person, target })}`);
  return (
    <Loaded {...answer}>
      {({ passing, nodes, input }) => {
        const [first, ...stages] = nodes;
        return (
          <div className="stack">
            <Notice tone={passing ? 'good' : 'bad'}>
              <strong>{t(passing ? 'Yes.' : 'No.')}</strong> {first && reasonOf(first)}
            </Notice>
            {first && <Tree nodes={[first]} label={t('Bindings')} />}
            {stages.length > 0 && (
              <section className="stack-tight" aria-label={t('Stages')}>
                <h2>{t('Stages of the flow')}</h2>
                <p className="quiet">
                  {t(
                    'Data that stages collect are not available here, so bindings that depend on them may decide differently.',
                  )}
                </p>
                <Tree nodes={stages} label={t('Stages')} />
              </section>
            )}
            {Object.keys(input).length > 0 && (
              <details className="card">
                <summary>{t('What policies can read about the user')}</summary>
                <Code text={JSON.stringify(input, null, 2)} />
              </details>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

const boundTexts = {
  policy: 'the policy {name}',
  group: 'the group {name}',
  user: 'the user {name}',
  deleted: 'a group or user that is deleted',
} as const satisfies Record<string, Text>;

function deciderName({ bound: { kind, name }, negate }: ExplainedBinding): string {
  const decider = t(boundTexts[kind], { name });
  return negate ? t('not {name}', { name: decider }) : decider;
}

/** The decisive reason in a sentence. */
function reasonOf({ name, mode, passing, bindings, enabled }: ExplainedNode): string {
  if (!enabled) return t('{name} is switched off.', { name });
  if (bindings.length === 0) return t('Nothing is bound to {name}, so it is open to everybody.', { name });
  const deciding = bindings.filter((binding) => binding.passing === passing).map(deciderName);
  const list = new Intl.ListFormat(pageLocale()).format(deciding);
  if (passing)
    return mode === 'any'
      ? t('{name} is open by {list}.', { name, list })
      : t('All bindings of {name} allow access.', { name });
  return mode === 'any'
    ? t('No binding of {name} allows access.', { name })
    : t('{name} is closed by {list}.', { name, list });
}

const paths: Readonly<Record<string, string>> = { 'svc_flows.flowstagebinding': '/flows/bindings/' };

function demandOf({ bindings, mode }: ExplainedNode): string {
  if (bindings.length === 0) return t('Nothing is bound: open to everybody.');
  return mode === 'any' ? t('One has to pass.') : t('All have to pass.');
}

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
                {demandOf(node)}
              </span>
            </div>
            {node.bindings.length > 0 && (
              <ul className="access-bindings">
                {node.bindings.map((binding) => (
                  <li key={binding.binding}>
                    <div className="access-node">
                      <Result passing={binding.passing} />
                      <Link href={hrefOf(`/policies/bindings/${binding.binding}/`)}>{deciderName(binding)}</Link>
                    </div>
                    {binding.messages.map((text) => (
                      <p key={text} className="small">
                        {t('Message: “{text}”', { text })}
                      </p>
                    ))}
                    {binding.logs.map((text) => (
                      <p key={text} className="quiet small">
                        {t('Log: {text}', { text })}
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
  <span className={passing ? 'tag tag-good' : 'tag tag-alert'}>{t(passing ? 'passes' : 'fails')}</span>
);
