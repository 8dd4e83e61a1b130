import { Empty } from '../listing.tsx';
import { Loaded, useAnswer } from '../loading.tsx';
import { pathOf } from '../navigation.tsx';
import { Section } from '../section.tsx';
import type { UserSetting } from '../user-setting.ts';

/** The way to another password. */
export function Password() {
  const settings = useAnswer<readonly UserSetting[]>('/stages/all/user_settings/');
  return (
    <Section
      title="Password"
      intro="A new password ends all your other sessions. Tokens and app passwords stay as they are."
    >
      <Loaded {...settings}>
        {(all) => {
          const setting = all.find(({ component }) => component === 'xak-user-settings-password');
          if (!setting) return <Empty>Your password cannot be changed here. Ask your administrator.</Empty>;
          return (
            <p>
              <a
                className="button button-primary"
                href={`${setting.configure_url}?next=${encodeURIComponent(pathOf('password'))}`}
              >
                Change password
              </a>
            </p>
          );
        }}
      </Loaded>
    </Section>
  );
}
