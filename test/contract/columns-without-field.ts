/** Columns of the resources' tables that no field names, because only the server's own code may read them. */
export const columnsWithoutField: Readonly<Record<string, readonly string[]>> = {
  // How a job is queued, claimed and given up; what it carries is not readable through the API.
  jobs: ['payload', 'unique_key', 'alone', 'run_at', 'attempt', 'worker', 'lease_until'],
  users: ['password', 'username_key', 'email_key', 'upn_key'],
  tokens: ['key', 'key_hash', 'audience'],
  provider_oauth2: ['previous_secret'],
  authenticated_sessions: [
    'token_hash',
    'created',
    'idle_seconds',
    'ends',
    'binding',
    'impersonated',
    'amr',
    'proven_at',
  ],
  oauth2_access_tokens: ['session', 'created', 'auth_time', 'family', 'terms', 'token_hash'],
  oauth2_refresh_tokens: ['session', 'created', 'auth_time', 'family', 'terms', 'token_hash'],
  oauth2_authorization_codes: [
    ...['session', 'created', 'auth_time', 'code_hash', 'redirect_uri', 'nonce'],
    ...['code_challenge', 'code_challenge_method', 'family', 'terms', 'consumed'],
  ],
};
