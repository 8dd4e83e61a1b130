import type { FlowContext } from './executor/flow-state.ts';

const passwords: ReadonlySet<string | null> = new Set(['password', 'app_password']);

/** How the person authenticated on this walk (RFC 8176). Methods used at a source are unknown. */
export function methodReferences({
  auth_method,
  auth_method_args,
}: Pick<FlowContext, 'auth_method' | 'auth_method_args'>): string[] {
  // Written by the validation stage in this form.
  const devices = (auth_method_args.mfa_devices ?? []) as { readonly methods: string[] }[];
  const byPassword = passwords.has(auth_method);
  return [
    ...new Set([
      ...(byPassword ? ['pwd'] : []),
      ...devices.flatMap(({ methods }) => methods),
      ...(byPassword && devices.length > 0 ? ['mfa'] : []),
    ]),
  ];
}
