import type { FlowContext } from './executor/flow-state.ts';

const passwords: ReadonlySet<string | null> = new Set(['password', 'app_password']);

/** How the person of a walk has proven who they are (RFC 8176). What was proven elsewhere is not known here. */
export function methodReferences({
  auth_method,
  auth_method_args,
}: Pick<FlowContext, 'auth_method' | 'auth_method_args'>): string[] {
  // The validation stage writes it so.
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
