import { type RawBuilder, sql } from 'kysely';
import { consentFlow, consentlessFlow } from '../../provider/install-defaults.ts';
import { enrollment } from '../bootstrap/enrollment.ts';
import { installConsent } from '../bootstrap/flows.ts';
import { recovery } from '../bootstrap/recovery.ts';
import type { Make } from '../bootstrap/steps.ts';
import { installPasskeys, passkeyFlow } from './passkeys.ts';
import { installRegistration, registrationFlow } from './registration.ts';

/** A flow that one switch turns on: it is installed if it is missing, and linked from where people come to it. */
export interface ReadyMade {
  readonly name: string;
  readonly slug: string;
  install(make: Make): Promise<void>;
  /** The member that links the flow, on objects of this model. */
  readonly model: string;
  readonly member: string;
  /** The values of the member when on and off. */
  on(flow: string): string;
  readonly off: string | null;
  /** The slug of the flow that takes its place when it is off, where `off` is no value. */
  readonly instead?: string;
  /** Conditions on `t`: objects that link the flow, and objects that would when it is turned on. */
  linked(flow: string): RawBuilder<unknown>;
  linkable(flow: string | null): RawBuilder<unknown>;
  /** Whether the flow is inaccessible by its address while it is off. */
  readonly isClosedWhenOff?: boolean;
  /** Why it cannot be turned on when nothing is linkable. */
  readonly obstacle: string;
}

const ofBrands = sql`select fsb.stage from flow_stage_bindings fsb join brands b on b.flow_authentication = fsb.target`;

const providersWith = (condition: RawBuilder<unknown>) => sql`select p.pk from providers p where ${condition}`;

export const readyMade: readonly ReadyMade[] = [
  {
    name: 'recovery',
    slug: 'default-recovery-flow',
    install: (make) => recovery.run(make, undefined),
    model: 'svc_brands.brand',
    member: 'flow_recovery',
    on: (flow) => flow,
    off: null,
    linked: (flow) => sql`t.flow_recovery = ${flow}`,
    linkable: () => sql`t.flow_recovery is null`,
    obstacle: 'Every brand has a recovery flow of its own.',
  },
  {
    // No page links to the flow, since invitations do: it is on while anonymous visitors may begin it.
    name: 'invitation',
    slug: 'default-enrollment-flow',
    install: (make) => enrollment.run(make, undefined),
    model: 'svc_flows.flow',
    member: 'authentication',
    on: () => 'require_unauthenticated',
    off: 'require_superuser',
    linked: (flow) => sql`t.pk = ${flow} and t.authentication in ('none', 'require_unauthenticated')`,
    linkable: (flow) => sql`t.pk = ${flow} and t.authentication not in ('none', 'require_unauthenticated')`,
    obstacle: 'The flow is missing.',
  },
  {
    name: 'registration',
    slug: registrationFlow,
    install: installRegistration,
    model: 'svc_stages_identification.identificationstage',
    member: 'enrollment_flow',
    on: (flow) => flow,
    off: null,
    linked: (flow) => sql`t.enrollment_flow = ${flow}`,
    linkable: () => sql`t.enrollment_flow is null and t.pk in (${ofBrands})`,
    isClosedWhenOff: true,
    obstacle: 'No brand signs people in by a flow with an identification stage that could offer enrollment.',
  },
  {
    name: 'passkey',
    slug: passkeyFlow,
    install: installPasskeys,
    model: 'svc_stages_identification.identificationstage',
    member: 'passwordless_flow',
    on: (flow) => flow,
    off: null,
    linked: (flow) => sql`t.passwordless_flow = ${flow}`,
    linkable: () => sql`t.passwordless_flow is null and t.pk in (${ofBrands})`,
    obstacle: 'No brand signs people in by a flow with an identification stage that could offer passkeys.',
  },
  {
    // Applications with an authorization flow of another kind keep it.
    name: 'consent',
    slug: consentFlow,
    install: installConsent,
    model: 'svc_providers_oauth2.oauth2provider',
    member: 'authorization_flow',
    on: (flow) => flow,
    off: null,
    instead: consentlessFlow,
    linked: (flow) => sql`t.pk in (${providersWith(sql`p.authorization_flow = ${flow}`)})`,
    linkable: () =>
      sql`t.pk in (${providersWith(sql`p.authorization_flow in (select pk from flows where slug = ${consentlessFlow})`)})`,
    obstacle: 'No application signs people in without consent.',
  },
];
