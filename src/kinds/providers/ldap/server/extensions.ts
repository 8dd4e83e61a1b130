/** Extended operations: RFC 4511 section 4.14, RFC 4532, RFC 3062. */
export const startTls = '1.3.6.1.4.1.1466.20037';
export const whoAmI = '1.3.6.1.4.1.4203.1.11.3';
export const passwordModify = '1.3.6.1.4.1.4203.1.11.1';
export const extensions = [startTls, whoAmI, passwordModify] as const;
