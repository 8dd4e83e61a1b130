/** Whether all policies bound to an object must pass, or any one. */
export const policyEngineModes = ['all', 'any'] as const;
