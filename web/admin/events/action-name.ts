import { type Text, t } from '../../texts/texts.ts';
import { spelled } from '../words.ts';

const names: Readonly<Record<string, Text>> = {
  login: 'Login',
  login_failed: 'Login failed',
  logout: 'Logout',
  user_write: 'User write',
  suspicious_request: 'Suspicious request',
  password_set: 'Password set',
  secret_view: 'Secret view',
  secret_rotate: 'Secret rotate',
  invitation_used: 'Invitation used',
  authorize_application: 'Authorize application',
  source_linked: 'Source linked',
  impersonation_started: 'Impersonation started',
  impersonation_ended: 'Impersonation ended',
  flow_execution: 'Flow execution',
  policy_execution: 'Policy execution',
  policy_exception: 'Policy exception',
  property_mapping_exception: 'Property mapping exception',
  system_task_execution: 'System task execution',
  system_task_exception: 'System task exception',
  system_exception: 'System exception',
  configuration_error: 'Configuration error',
  model_created: 'Model created',
  model_updated: 'Model updated',
  model_deleted: 'Model deleted',
  email_sent: 'Email sent',
  update_available: 'Update available',
};

/** What an action of events is called. Custom ones have the name that their expression gave them. */
export function actionName(action: string): string {
  const name = names[action];
  return name ? t(name) : spelled(action);
}

/** Who caused an event. */
export const whoOf = ({ user }: { readonly user: { readonly username?: string } }): string =>
  user.username || t('the server');
