import { t } from '../../texts/texts.ts';
import { BindingList } from '../access/binding-list.tsx';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import type { TabProps } from './application.ts';

/** Who may use it: its bindings. */
export function AccessTab({ application, may }: TabProps) {
  return (
    <div className="stack">
      <BindingList
        target={application.pk}
        mode={application.policy_engine_mode}
        canChange={may.includes('change')}
        open={t('Everybody who can sign in may use it.')}
      />
      <div className="row">
        <Link className="button" href={hrefOf('/access/', { what: 'application', target: application.pk })}>
          {t('Check who can open it, and why.')}
        </Link>
      </div>
    </div>
  );
}
