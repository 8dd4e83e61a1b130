import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import type { Row } from '../../src/resource/fields/field.ts';
import { secretText } from './sample.ts';

/** What the tests cannot guess of a resource from its declaration. Keep it short: most resources need nothing. */
export interface ResourceHint {
  /** Members of a body in place of the guessed ones; undefined leaves one out. */
  readonly body?: (make: Hinting) => Row | Promise<Row>;
  /** Members of `body` that a body cannot do without, although none of them is required by itself. */
  readonly alsoRequired?: readonly string[];
  /** Values of columns for rows that only the server makes. */
  readonly columns?: (make: Hinting) => Row | Promise<Row>;
  /** Permissions that creating or changing one asks for on top of its own. */
  readonly alsoNeeds?: readonly string[];
}

/** What the tests cannot guess of one operation (by its id). */
export interface OperationHint {
  readonly body?: (make: Hinting) => unknown;
  readonly query?: string;
  /** Values of the path in place of the key of a sample. */
  readonly params?: (make: Hinting) => Promise<Readonly<Record<string, string>>>;
  /** Why no test here can make it succeed; its own tests do. */
  readonly undrivable?: string;
  /** A GET that leaves an event, because it shows a secret. */
  readonly leavesEvent?: boolean;
}

export interface Hinting {
  /** Differs at each call, to make values unique. */
  readonly number: number;
  /** The key of an object of this model. */
  key(model: string): Promise<string | number>;
}

export const resourceHints: Readonly<Record<string, ResourceHint>> = {
  'svc_core.group': {
    // To make a superuser group takes a superuser.
    body: () => ({ is_superuser: false }),
  },
  'svc_events.event': { body: () => ({ action: 'custom_sample', client_ip: '192.0.2.1' }) },
  'svc_brands.brand': { body: () => ({ branding_logo: '/static/logo.svg', branding_favicon: '/static/favicon.svg' }) },
  'svc_crypto.certificatekeypair': {
    body: async ({ number }) => {
      const { certificate, key } = await generateCertificate({
        commonName: `sample-${number}.example.com`,
        subjectAltNames: [],
        validityDays: 30,
        algorithm: 'ecdsa',
      });
      return { certificate_data: certificate, key_data: key };
    },
  },
  'svc_policies.policybinding': {
    body: async ({ key }) => ({
      policy: await key('svc_policies.policy'),
      group: undefined,
      user: undefined,
      target: await key('svc_events.notificationrule'),
    }),
    alsoRequired: ['policy'],
  },
  'svc_policies_reputation.reputationpolicy': { body: () => ({ check_ip: true }) },
  'svc_outposts.clusterserviceconnection': {
    body: ({ number }) => ({
      kubeconfig: {
        'current-context': 'sample',
        contexts: [{ name: 'sample', context: { cluster: 'sample', user: 'sample' } }],
        clusters: [{ name: 'sample', cluster: { server: 'https://cluster.example.com' } }],
        users: [{ name: 'sample', user: { token: secretText(number) } }],
      },
    }),
  },
};

export const operationHints: Readonly<Record<string, OperationHint>> = {};
