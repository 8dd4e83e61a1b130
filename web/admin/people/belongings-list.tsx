import type { ReactNode } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Paginated } from '../../api/paginated.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { useToast } from '../../elements/toast.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { AllOf } from '../parts/all-of.tsx';

interface Thing {
  readonly key: string;
  readonly title: ReactNode;
  readonly notes: ReactNode;
  readonly name: string;
}

export interface BelongingsProps<T> {
  /** The paths of the list and of one object. */
  readonly from: string;
  pathOf(row: T): string | null;
  show(row: T): Thing;
  readonly none: Text;
  /** The label of the delete button and the question of its dialog. */
  readonly verb: Text;
  readonly question: Text;
}

/** Objects of one kind that belong to a person, with delete buttons. One request. */
export function Belongings<T>({ from, pathOf, show, none, verb, question }: BelongingsProps<T>) {
  const read = useAnswer<readonly T[] | Paginated<T>>(from);
  const done = useToast();
  return (
    <Loaded {...read}>
      {(answer) => {
        const rows: readonly T[] = 'results' in answer ? answer.results : answer;
        if (rows.length === 0) return <p className="empty">{t(none)}</p>;
        const count = 'pagination' in answer ? answer.pagination.count : rows.length;
        return (
          <>
            <ul className="rows">
              {rows.map((row) => {
                const { key, title, notes, name } = show(row);
                const path = pathOf(row);
                return (
                  <li key={key} className="rows-row">
                    <div className="rows-text">
                      <p>{title}</p>
                      <p className="quiet small">{notes}</p>
                    </div>
                    {path && (
                      <ConfirmButton
                        about={name}
                        question={t(question, { name })}
                        consequence={<p>{t('This cannot be undone.')}</p>}
                        confirm={t(verb)}
                        onConfirm={async () => {
                          await apiFetch('DELETE', path);
                          await read.reload();
                          done(t('{name}: done.', { name }));
                        }}
                      >
                        {t(verb)}
                      </ConfirmButton>
                    )}
                  </li>
                );
              })}
            </ul>
            <AllOf from={from} shown={rows.length} count={count} />
          </>
        );
      }}
    </Loaded>
  );
}
