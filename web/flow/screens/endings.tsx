import type { AccessDeniedChallenge, FlowErrorChallenge, RedirectChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { type Challenge, leadsBack } from '../challenge.ts';
import { safeAddress, withNext } from '../safe-address.ts';
import { CancelLink, Step } from '../step.tsx';

export function AccessDeniedScreen({ challenge }: { challenge: AccessDeniedChallenge }) {
  const { error_message, to, application_name } = challenge;
  const onward = safeAddress(to);
  const wayOn = application_name ? t('Back to {application}', { application: application_name }) : t('Continue');
  return (
    <Step
      challenge={challenge}
      isEdge
      title={t('Access denied')}
      intro={error_message || t('You do not have access to this.')}
      links={<a href="/">{t('Go to the start page')}</a>}
    >
      <a className="button button-primary" href={onward ?? withNext(challenge.flow_info?.cancel_url) ?? '/'}>
        {onward || leadsBack(challenge) ? wayOn : t('Start again')}
      </a>
    </Step>
  );
}

export function FlowErrorScreen({ challenge }: { challenge: FlowErrorChallenge }) {
  return (
    <Step
      challenge={challenge}
      isEdge
      title={t('Something went wrong')}
      intro={challenge.error || t('This step could not be carried out.')}
      links={<a href="/">{t('Go to the start page')}</a>}
    >
      <p className="small quiet">
        {t('If it keeps happening, tell your administrator this request id:')} <code>{challenge.request_id}</code>
      </p>
      <a className="button button-primary" href={withNext(challenge.flow_info?.cancel_url) ?? '/'}>
        {t(leadsBack(challenge) ? 'Continue' : 'Start again')}
      </a>
    </Step>
  );
}

/** A redirect without a destination. All others are followed at once and never shown. */
export function RedirectScreen({ challenge }: { challenge: RedirectChallenge }) {
  return (
    <Step
      challenge={challenge}
      isEdge
      title={t('Access denied')}
      intro={t('The server returned an invalid address.')}
      links={<a href="/">{t('Go to the start page')}</a>}
    />
  );
}

export function UnknownScreen({ challenge }: { challenge: Challenge }) {
  return (
    <Step
      challenge={challenge}
      isEdge
      title={t('This step cannot be shown')}
      intro={t('The server requires a step that this page does not support.')}
      links={<CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      <p className="small quiet">
        {t('Please tell your administrator:')} <code>{challenge.component}</code>
      </p>
    </Step>
  );
}
