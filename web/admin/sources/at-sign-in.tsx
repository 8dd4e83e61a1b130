import type { IdentificationStage, PaginatedIdentificationStageList } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { addToList } from '../api/add-to-list.ts';
import { useInterface } from '../api/interface.ts';
import type { WholeObject } from '../api/object.ts';
import { Link } from '../link.tsx';
import type { BannerProps } from '../resource-page.ts';

const path = '/stages/identification/';

const signsIn = ({ flow_set }: IdentificationStage): boolean =>
  flow_set.some(({ designation }) => designation === 'authentication');

/** Whether the sign-in page offers a source, with a button that makes it so. */
export function AtSignIn({ object }: BannerProps) {
  const entry = useInterface().resources.find((one) => one.path === path);
  // What people cannot sign in by has no flows, and the source for those who are here has no kind.
  return entry && 'authentication_flow' in object.row && object.row.component !== '' ? (
    <Offered object={object} canChange={entry.may.change === 'all'} />
  ) : null;
}

function Offered({ object, canChange }: { object: WholeObject; canChange: boolean }) {
  const read = useAnswer<PaginatedIdentificationStageList>(`${path}?page_size=100`);
  return (
    <section className="card stack-tight" aria-label={t('Sign-in page')}>
      <h2>{t('Sign-in page')}</h2>
      {object.row.verification_kp === null && (
        <Notice tone="bad">
          {t(
            'Closed: without a verification certificate, responses cannot be verified. Choose the certificate of the identity provider.',
          )}
        </Notice>
      )}
      <p>
        {t(
          object.row.enrollment_flow
            ? 'Users who sign in through it for the first time get an account here.'
            : 'Users without an account are denied, because there is no enrollment flow.',
        )}
      </p>
      <Loaded {...read}>
        {({ results }) => {
          const offering = results.filter(({ sources }) => sources.includes(object.pk));
          if (offering.length > 0) return <OfferedBy stages={offering} />;
          const open = canChange ? results.filter(signsIn) : [];
          return <NotOffered object={object} stages={open} reload={read.reload} />;
        }}
      </Loaded>
    </section>
  );
}

const OfferedBy = ({ stages }: { stages: readonly IdentificationStage[] }) => (
  <>
    <p>{t('It is offered by these stages:')}</p>
    <ul className="plain-list">
      {stages.map(({ pk, name }) => (
        <li key={pk}>
          <Link href={hrefOf(`${path}${pk}/`)}>{name}</Link>
        </li>
      ))}
    </ul>
  </>
);

interface Props {
  readonly object: WholeObject;
  /** Those that could offer it. */
  readonly stages: readonly IdentificationStage[];
  reload(): Promise<void>;
}

function NotOffered({ object, stages, reload }: Props) {
  const { isBusy, problem, attempt } = useAttempt();
  const showToast = useToast();
  const offer = ({ pk }: IdentificationStage) =>
    attempt(async () => {
      await addToList(`${path}${pk}/`, 'sources', object.pk);
      await reload();
      showToast(t('The sign-in page offers {name} now.', { name: object.name }));
    });
  return (
    <>
      <p>{t('The sign-in page does not offer it yet. Select it in an identification stage.')}</p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        {stages.map((stage) => (
          <Button key={stage.pk} isBusy={isBusy} onClick={() => void offer(stage)}>
            {t('Offer it by {stage}', { stage: stage.name })}
          </Button>
        ))}
      </div>
    </>
  );
}
