import type { UserSetting } from '../../api/types.ts';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { FlowForm } from '../flow-form.tsx';
import { Empty } from '../listing.tsx';
import { pathOf } from '../navigation.tsx';
import { Section } from '../section.tsx';

/** Changes the password. */
export function Password() {
  const settings = useAnswer<readonly UserSetting[]>('/stages/all/user_settings/');
  const done = useToast();
  return (
    <Section
      title={t('Password')}
      intro={t('A new password ends all your other sessions. Tokens and app passwords stay as they are.')}
    >
      <Loaded {...settings}>
        {(all) => {
          const setting = all.find(({ component }) => component === 'xak-user-settings-password');
          if (!setting) return <Empty>{t('Your password cannot be changed here. Ask your administrator.')}</Empty>;
          return (
            <FlowForm
              slug={slugIn(setting)}
              returnTo={pathOf('password')}
              submit={t('Change password')}
              onEnd={async () => done(t('Your password is changed.'))}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

/** The flow in `/if/flow/<slug>/`. */
const slugIn = ({ configure_url }: UserSetting): string => configure_url.split('/').at(-2) ?? '';
