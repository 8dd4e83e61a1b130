import { useEffect, useId, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { ProxyProviderTest, ProxyProviderTestResult } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';

type Step = ProxyProviderTestResult['steps'][number];

const everyMs = 2_000;
/** As long as a test lasts. */
const lastingMs = 10 * 60_000;

/**
 * Opens the application in another window, and shows what its proxy sends to Gatehouse. `host` is one of a whole
 * domain.
 */
export function ProxyTest({ path, host }: { path: string; host: string | null }) {
  const [begun, setBegun] = useState<ProxyProviderTest | null>(null);
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const { isBusy, problem, attempt } = useAttempt();
  const title = useId();
  const test = begun?.test ?? null;
  const isOver = steps.some(({ step }) => step !== 'check');

  useEffect(() => {
    if (test === null || isOver) return;
    let isWanted = true;
    const timer = setInterval(async () => {
      const answer = await apiFetch<Pick<ProxyProviderTestResult, 'steps'>>(
        'GET',
        `${path}test_proxy_result/?test=${test}`,
      ).catch(() => null);
      if (!isWanted) return;
      if (answer === null) stop();
      else setSteps(answer.steps);
    }, everyMs);
    const end = setTimeout(() => clearInterval(timer), lastingMs);
    const stop = () => {
      isWanted = false;
      clearInterval(timer);
      clearTimeout(end);
    };
    return stop;
  }, [path, test, isOver]);

  const begin = () =>
    attempt(async () => {
      setSteps([]);
      setBegun(await apiFetch<ProxyProviderTest>('POST', `${path}test_proxy/`, { host: host ?? '' }));
    });

  return (
    <section className="card stack" aria-labelledby={title}>
      <h2 id={title}>{t('Test this proxy')}</h2>
      <p className="quiet">{t('Shows which headers the proxy sends to Gatehouse, and which are missing.')}</p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        <Button onClick={begin} isBusy={isBusy}>
          {t('Begin the test')}
        </Button>
        {begun && (
          <a className="button button-primary" href={begun.url} target="_blank" rel="noreferrer">
            {t('Open the application')}
          </a>
        )}
      </div>
      {begun && steps.length === 0 && (
        <p role="status">
          {t('Open the application. If nothing appears here then, the proxy sends no request to Gatehouse.')}
        </p>
      )}
      <div className="stack" aria-live="polite">
        {steps.map((step) => (
          <StepReport key={steps.indexOf(step)} {...step} />
        ))}
      </div>
    </section>
  );
}

function StepReport({ step, proxy, peer, is_trusted, is_found, missing, headers }: Step) {
  const isGood = is_trusted && is_found && missing.length === 0;
  return (
    <div className="stack-tight">
      <Notice tone={isGood ? 'good' : 'bad'}>
        <p>
          {step === 'check' ? t('The check has arrived ({proxy}).', { proxy }) : t('The proxy leads to Gatehouse.')}
        </p>
        {!is_trusted && <p>{t('Gatehouse does not trust {peer}: add it to GATEHOUSE_TRUSTED_PROXIES.', { peer })}</p>}
        {missing.length > 0 && <p>{t('Missing or wrong: {headers}', { headers: missing.join(', ') })}</p>}
        {is_trusted && missing.length === 0 && !is_found && (
          <p>{t('The headers name a host that this provider does not protect.')}</p>
        )}
      </Notice>
      <dl className="facts">
        {headers.map(({ name, received }) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <code className="wrapped">{received}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
