interface FirstPrompt {
  readonly name: string;
  readonly field_key: string;
  readonly label: string;
  readonly type: string;
  readonly order: number;
  readonly required: boolean;
  readonly placeholder?: string;
  readonly initial_value?: string;
  readonly initial_value_expression?: boolean;
}

export interface FirstPromptStage {
  readonly name: string;
  /** The flow it is bound to, and where in it. */
  readonly flow: string;
  readonly order: number;
  readonly prompts: readonly FirstPrompt[];
}

/** Requires length; common words and patterns do not count towards it. */
export const passwordPolicy = {
  name: 'default-password-policy',
  length_min: 12,
  error_message: 'Use at least 12 characters.',
  check_zxcvbn: true,
};

export const promptStages: readonly FirstPromptStage[] = [
  {
    name: 'default-source-enrollment-prompt',
    flow: 'default-source-enrollment',
    order: 0,
    prompts: [ask('default-source-enrollment-field-username', 'username', 'Username', 'text', 100)],
  },
  {
    name: 'default-user-settings',
    flow: 'default-user-settings-flow',
    order: 20,
    prompts: [
      known(ask('default-user-settings-field-username', 'username', 'Username', 'text', 200), 'user.username'),
      known(ask('default-user-settings-field-name', 'name', 'Name', 'text', 201), 'user.name'),
      // Optional: not all users have an address, and most leave the language to their browser.
      {
        ...known(ask('default-user-settings-field-email', 'email', 'Email', 'email', 202), 'user.email'),
        required: false,
      },
      {
        ...known(
          ask('default-user-settings-field-locale', 'attributes.settings.locale', 'Locale', 'xak-locale', 203),
          'user.attributes.settings?.locale ?? ""',
        ),
        required: false,
      },
    ],
  },
  {
    name: 'default-password-change-prompt',
    flow: 'default-password-change',
    order: 0,
    prompts: passwordTwice('default-password-change-field'),
  },
  {
    name: 'stage-default-oobe-password',
    flow: 'initial-setup',
    order: 10,
    prompts: [
      {
        name: 'initial-setup-field-header',
        field_key: 'oobe-header-text',
        label: 'oobe-header-text',
        type: 'static',
        order: 100,
        required: true,
        initial_value: 'Welcome to Gatehouse! Please set a password and email for the default admin user, admin.',
      },
      { ...ask('initial-setup-field-email', 'email', 'Email', 'email', 101), placeholder: 'Admin email' },
      ...passwordTwice('initial-setup-field'),
    ],
  },
];

export function ask(name: string, field_key: string, label: string, type: string, order: number): FirstPrompt {
  return { name, field_key, label, type, order, required: true, placeholder: label };
}

/** Prefills the current value. */
function known(prompt: FirstPrompt, expression: string): FirstPrompt {
  return { ...prompt, initial_value: `return ${expression}`, initial_value_expression: true };
}

export function passwordTwice(
  prefix: string,
  [first, again]: readonly [string, string] = ['New password', 'New password (repeat)'],
): FirstPrompt[] {
  return [
    ask(`${prefix}-password`, 'password', first, 'password', 300),
    ask(`${prefix}-password-repeat`, 'password_repeat', again, 'password', 301),
  ];
}
