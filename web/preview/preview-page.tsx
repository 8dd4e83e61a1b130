import { useEffect, useState } from 'react';
import type { SignInPreview } from '../api/types.ts';
import { Frame } from '../flow/frame.tsx';
import { IdentificationScreen } from '../flow/screens/identification.tsx';
import type { Walk } from '../flow/use-walk.ts';
import { WalkContext } from '../flow/walk-context.ts';
import { BrandContext } from '../page/mount-page.tsx';
import { pageLanguage } from '../texts/page-language.ts';
import { t } from '../texts/texts.ts';
import { type Draft, type DraftMessage, readyMessage } from './draft.ts';

/** The sign-in page as a draft of a brand would have it, in a frame of an admin page. Nothing on it works. */
export function PreviewPage() {
  const draft = useDraftOfParent();
  const theme = draft?.brand.ui_theme;
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
  }, [theme]);
  useStyleSheet(draft?.brand.ui_style ?? null);
  if (!draft) return null;
  const { brand, flow, screen } = draft;
  return (
    // Nothing in it gets the focus, which belongs to the form outside.
    <div inert>
      <BrandContext value={brand}>
        <WalkContext value={still}>
          <Frame flow={flow}>
            <IdentificationScreen
              challenge={{
                component: 'xak-stage-identification',
                flow_info: flow,
                ...inThisLanguage(screen ?? example),
              }}
            />
          </Frame>
        </WalkContext>
      </BrandContext>
    </div>
  );
}

/** The colours of the draft replace those of this page's own brand. */
function useStyleSheet(address: string | null): void {
  useEffect(() => {
    for (const link of document.querySelectorAll('link[href^="/static/brand/"]')) link.remove();
    if (!address) return;
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = address;
    document.head.append(link);
  }, [address]);
}

function useDraftOfParent(): Draft | null {
  const [draft, setDraft] = useState<Draft | null>(null);
  useEffect(() => {
    const receive = ({ origin, source, data }: MessageEvent<Partial<DraftMessage> | null>) => {
      if (origin === location.origin && source === parent && data?.draft) setDraft(data.draft);
    };
    addEventListener('message', receive);
    parent.postMessage(readyMessage, location.origin);
    return () => removeEventListener('message', receive);
  }, []);
  return draft;
}

const nothing = async () => {};
const still: Walk = {
  ...{ challenge: null, step: 0, isBusy: false, trouble: null, hasRestarted: false, isPreview: true },
  ...{ answer: nothing, refresh: nothing },
};

type Screen = NonNullable<SignInPreview['screen']>;

const example: Screen = {
  user_fields: ['email', 'username'],
  password_fields: false,
  allow_show_password: false,
  flow_designation: 'authentication',
  primary_action: 'Continue',
  sources: [],
  show_source_labels: true,
};

/** The server labels the button in the language of the request; the preview may be in another. */
const inThisLanguage = (screen: Screen): Screen =>
  pageLanguage() === 'en'
    ? screen
    : { ...screen, primary_action: screen.password_fields ? t('Sign in') : t('Continue') };
