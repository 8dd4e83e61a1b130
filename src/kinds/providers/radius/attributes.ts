import { actingAs } from '../../../core/access/impersonation-guard.ts';
import { MappingFailed, mergeMappings } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { dictionary } from '../../../lib/radius/dictionary.ts';
import type { Attribute } from '../../../lib/radius/packet.ts';
import { type Definition, isValueType } from '../../../lib/radius/parse-dictionary.ts';
import { encodeValues, type Sealing, ValueError } from '../../../lib/radius/values.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { Call } from '../../../resource/call.ts';
import type { ServedProvider } from './served-providers.ts';

const maxDefinitions = 50;

/** The attributes that the mappings of a provider give a user. Throws a `MappingFailed`. */
export function mapAttributes(
  sandbox: Sandbox,
  { pk, name, mappings }: ServedProvider,
  user: UserFacts,
  { packet, ...sealing }: Sealing & { readonly packet: Record<string, Json> },
): Attribute[] {
  if (mappings.length === 0) return [];
  const added = new Map<string, Definition>();
  const globals = {
    ...{ user, packet, provider: { pk, name } },
    request: { user, context: { packet }, http_request: null, obj: null },
  };
  const { value } = mergeMappings(
    sandbox,
    mappings,
    globals,
    {},
    { define_attribute: (...given) => define(added, given) },
  );
  try {
    return encodeValues(value, (wanted) => added.get(wanted.toLowerCase()) ?? dictionary.find(wanted), sealing);
  } catch (error) {
    if (error instanceof ValueError) throw new MappingFailed(mappings.map((one) => one.name).join(', '), error.message);
    throw error;
  }
}

/**
 * `define_attribute(vendor_code, vendor_name, attribute_name, attribute_code, attribute_type)`, or an object of these.
 */
function define(added: Map<string, Definition>, given: readonly Json[]): null {
  const [first] = given;
  const [vendor, , name, code, type] = isJsonObject(first)
    ? [first.vendor_code, null, first.attribute_name, first.attribute_code, first.attribute_type]
    : given;
  if (!isByte(code) || typeof name !== 'string' || typeof type !== 'string' || !isValueType(type))
    throw new Error(
      'define_attribute takes the number and the name of the vendor, and the name, number and type of the attribute',
    );
  if (typeof vendor !== 'number' || !Number.isInteger(vendor) || vendor < 1 || vendor > 0xff_ffff)
    throw new Error('define_attribute takes the number of a vendor');
  if (added.size >= maxDefinitions) throw new Error(`no more than ${maxDefinitions} attributes can be defined`);
  added.set(name.toLowerCase(), {
    ...{ name, code, type, vendor, named: new Map(), hasTag: false, isEncrypted: false },
  });
  return null;
}

const isByte = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 256;

/** Records that the mappings of a user failed: access is never granted with attributes missing. */
export const recordFailure = (call: Call, user: UserFacts, failure: MappingFailed): Promise<void> =>
  call.db.write((tx) => call.world.record(tx, actingAs(call, user), failure.event()));
