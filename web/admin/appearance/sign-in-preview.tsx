import type { CurrentBrand, SignInPreview as SignInAnswer } from '../../api/types.ts';
import './appearance.css';
import { useCallback, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import { useLoadable } from '../../elements/loading.tsx';
import { Segments } from '../../elements/segments.tsx';
import { safeAddress } from '../../flow/safe-address.ts';
import { languageName } from '../../flow/screens/locales.ts';
import { useBrand } from '../../page/mount-page.tsx';
import type { Draft } from '../../preview/draft.ts';
import { languages } from '../../texts/languages.ts';
import { pageLanguage } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import type { SidePanelProps } from '../resource-page.ts';
import { AccentContrast } from './accent-contrast.tsx';
import { draftOf, noSignIn, settingsOf } from './draft-of.ts';
import { PreviewFrame, type Width } from './preview-frame.tsx';

const isTheme = (text: unknown): text is CurrentBrand['ui_theme'] =>
  text === 'automatic' || text === 'light' || text === 'dark';

/** A live preview of the sign-in page with unsaved values. Theme, width and language are in the address. */
export function SignInPreview({ values }: SidePanelProps) {
  const { query } = useAddress();
  const own = useBrand();
  const { theme, locale, colours } = settingsOf(values);
  const signIn = useSignIn(values.flow_authentication);
  const width: Width = query.get('width') === 'phone' ? 'phone' : 'wide';
  const ui_theme = isTheme(query.get('theme')) ? query.get('theme') : theme;
  const language = languages.find((one) => one === (query.get('language') ?? locale)) ?? pageLanguage();
  const draft = draftOf(values, signIn, { ...own, ui_theme: isTheme(ui_theme) ? ui_theme : theme });
  const set = (name: string) => (value: string) => goTo(hereWith({ [name]: value }), { replace: true });
  return (
    <section className="card stack" aria-labelledby="preview-title">
      <h2 id="preview-title">{t('Preview of sign-in')}</h2>
      <div className="preview-choices">
        <Segments
          label={t('Width')}
          value={width}
          choices={[
            ['wide', t('Computer')],
            ['phone', t('Phone')],
          ]}
          onChange={set('width')}
        />
        <Segments
          label={t('Colours')}
          value={draft.brand.ui_theme}
          choices={[
            ['automatic', t('Automatic')],
            ['light', t('Light')],
            ['dark', t('Dark')],
          ]}
          onChange={set('theme')}
        />
        <label className="preview-language">
          <span className="visually-hidden">{t('Language of the preview')}</span>
          <select
            className="input"
            value={language}
            onChange={({ currentTarget }) => set('language')(currentTarget.value)}
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {languageName(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="preview-window" data-width={width}>
        <WindowTitle draft={draft} />
        <PreviewFrame draft={draft} width={width} language={language} />
      </div>
      {colours.accent && <AccentContrast accent={colours.accent} />}
    </section>
  );
}

/** The first screen of the chosen flow; an example while it loads, and without permission to see it. */
function useSignIn(flow: unknown): SignInAnswer {
  const path = `/stages/identification/preview/${typeof flow === 'string' && flow ? `?flow=${encodeURIComponent(flow)}` : ''}`;
  const { answer } = useLoadable(
    useCallback(
      () =>
        apiFetch<SignInAnswer>('GET', path).catch((problem: unknown) => {
          if (problem instanceof ApiProblem) return noSignIn;
          throw problem;
        }),
      [path],
    ),
  );
  return answer.state === 'ready' ? answer.value : noSignIn;
}

/** A browser tab with icon and title. */
function WindowTitle({ draft: { brand, flow } }: { draft: Draft }) {
  const [missing, setMissing] = useState<string | null>(null);
  const icon = safeAddress(brand.branding_favicon);
  return (
    <p className="preview-tab small">
      {icon && icon !== missing && <img src={icon} alt="" width="16" height="16" onError={() => setMissing(icon)} />}
      <span>{flow.title ? `${flow.title} · ${brand.branding_title}` : brand.branding_title}</span>
    </p>
  );
}
