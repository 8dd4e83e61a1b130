/** The actions of events, with display names. Expressions write `custom_<name>`. */
export const eventActions = {
  login: 'Login',
  login_failed: 'Login Failed',
  logout: 'Logout',
  user_write: 'User Write',
  suspicious_request: 'Suspicious Request',
  password_set: 'Password Set',
  secret_view: 'Secret View',
  secret_rotate: 'Secret Rotate',
  invitation_used: 'Invite Used',
  authorize_application: 'Authorize Application',
  source_linked: 'Source Linked',
  impersonation_started: 'Impersonation Started',
  impersonation_ended: 'Impersonation Ended',
  flow_execution: 'Flow Execution',
  policy_execution: 'Policy Execution',
  policy_exception: 'Policy Exception',
  property_mapping_exception: 'Property Mapping Exception',
  system_task_execution: 'System Task Execution',
  system_task_exception: 'System Task Exception',
  system_exception: 'System Exception',
  configuration_error: 'Configuration Error',
  model_created: 'Model Created',
  model_updated: 'Model Updated',
  model_deleted: 'Model Deleted',
  email_sent: 'Email Sent',
  update_available: 'Update Available',
  custom_: 'Custom Prefix',
} as const;

/** What pages call them, where that does not follow from the action. */
export const eventActionLabels = {
  authorize_application: 'Signed in to an application',
  model_created: 'Object created',
  model_deleted: 'Object deleted',
  model_updated: 'Object changed',
  policy_execution: 'Decision of a policy',
  secret_rotate: 'Secret renewed',
  secret_view: 'Secret shown',
  system_task_exception: 'Job failed',
  system_task_execution: 'Job done',
  user_write: 'Account saved',
};

export const customAction = /^custom_[\w.-]{0,100}$/;

export const isEventAction = (text: string): boolean => Object.hasOwn(eventActions, text) || customAction.test(text);
