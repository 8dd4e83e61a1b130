import { evaluate, MappingFailed } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Json } from '../../../lib/json.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';

export interface MappingRow {
  readonly pk: string;
  readonly name: string;
  readonly saml_name: string;
  readonly friendly_name: string | null;
  readonly expression: string;
}

export interface Attribute {
  readonly name: string;
  readonly friendlyName: string | null;
  readonly values: readonly string[];
}

/** The attributes of a user, and the mappings that failed. */
export interface MappedUser {
  readonly attributes: readonly Attribute[];
  /** The result of `name_id_mapping`; null without a mapping or result. */
  readonly nameId: string | null;
  /** Deterministic: the same user would get the same attributes. */
  readonly isLasting: boolean;
  readonly failures: readonly { readonly mapping: string; readonly failure: MappingFailed }[];
}

/** The provider, as mappings see it. */
interface MappedProvider {
  readonly pk: number;
  readonly name: string;
  readonly mappings: readonly MappingRow[];
  readonly nameIdMapping: MappingRow | null;
}

/**
 * Evaluates the mappings of a provider. A failing one is skipped, so that an error in one does not block all sign-ins.
 */
export function mapUser(
  sandbox: Sandbox,
  { pk, name, mappings, nameIdMapping }: MappedProvider,
  user: UserFacts,
): MappedUser {
  let isLasting = true;
  const failures: { mapping: string; failure: MappingFailed }[] = [];
  const globals = {
    user,
    provider: { pk, name },
    request: { user, context: {}, http_request: null, obj: null },
  };
  const mappedBy = (mapping: MappingRow): Json => {
    try {
      const result = evaluate(sandbox, mapping.expression, globals);
      isLasting &&= result.isLasting;
      return result.value;
    } catch (failure) {
      if (!(failure instanceof MappingFailed)) throw failure;
      failures.push({ mapping: mapping.name, failure });
      return null;
    }
  };
  const attributes = mappings
    .toSorted((one, other) => (one.saml_name < other.saml_name ? -1 : 1))
    .flatMap((mapping) => {
      const values = textsOf(mappedBy(mapping));
      return values === null ? [] : [{ name: mapping.saml_name, friendlyName: mapping.friendly_name || null, values }];
    });
  const named = nameIdMapping && textsOf(mappedBy(nameIdMapping))?.[0];
  return { attributes, nameId: named || null, failures, isLasting: isLasting && failures.length === 0 };
}

/** Each value as text; null without a value. */
function textsOf(value: Json): string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value)) return [textOf(value)];
  return value.filter((one) => one !== null).map(textOf);
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
