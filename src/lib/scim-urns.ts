/** The names of SCIM's schemas and messages (RFC 7643, RFC 7644). */
export const userSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const enterpriseSchemaId = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const listMessageId = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const patchMessageId = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
