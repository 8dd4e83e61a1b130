import { asText, isJsonObject } from '../../../../lib/json.ts';
import { member, type ScimObject } from '../protocol/matches.ts';
import { applyPatch, type PatchOperation, readOperations } from '../protocol/patch.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { canonicalDocument, isServerOwned } from './document.ts';
import type { ResourceType } from './resource-type.ts';

/** The document that a PATCH makes of another (RFC 7644, section 3.5.2). */
export function patchDocument(type: ResourceType, document: ScimObject, body: unknown): ScimObject {
  const operations = readOperations(withoutExtensionPaths(type, body));
  for (const operation of operations) checkMayPatch(operation);
  const settled = new WeakSet<object>();
  return applyPatch(document, operations, (changed) => canonicalDocument(type, changed, settled));
}

/** Without a path, read-only members are ignored, since clients send whole resources; with a path they are an error. */
function checkMayPatch({ path }: PatchOperation): void {
  if (path && isServerOwned(path.attribute) && (path.schema === null || path.schema.includes(':core:'))) {
    throw new ScimError(400, `The attribute ${path.attribute} cannot be changed.`, 'mutability');
  }
}

/** A path may be the name of an extension alone, which means all of its attributes. */
function withoutExtensionPaths({ extensions }: ResourceType, body: unknown): unknown {
  const list = isJsonObject(body) ? member(body, 'Operations') : undefined;
  if (!Array.isArray(list)) return body;
  const operations = list.flatMap((entry: unknown): unknown[] => {
    const path = isJsonObject(entry) ? member(entry, 'path') : undefined;
    const extension = extensions.find(({ id }) => typeof path === 'string' && id.toLowerCase() === path.toLowerCase());
    if (!isJsonObject(entry) || !extension) return [entry];
    const op = member(entry, 'op');
    if (asText(op).toLowerCase() !== 'remove') return [{ op, value: { [extension.id]: member(entry, 'value') } }];
    return extension.attributes.map(({ name }) => ({ op, path: `${extension.id}:${name}` }));
  });
  return { Operations: operations };
}
