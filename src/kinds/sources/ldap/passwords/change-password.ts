import { Attribute, Change, ModifyRequest } from 'ldapts';
import { encode, encodeText } from '../../../../lib/ldap/ber.ts';
import type { Directory } from '../client/directory.ts';
import { DirectoryError } from '../client/directory-error.ts';
import { valuesOf } from '../client/values.ts';

const activeDirectory = '1.2.840.113556.1.4.800';
const passwordModify = '1.3.6.1.4.1.4203.1.11.1';
const timeoutMs = 5_000;

/** Sets the password of an entry: in Active Directory its attribute, elsewhere by the extended operation (RFC 3062). */
export async function changePassword(
  { connection, read }: Directory,
  dn: string | null,
  password: string,
): Promise<void> {
  if (dn === null || dn === '') throw new DirectoryError('result', 'The user has no entry in the directory.');
  if (password === '') throw new DirectoryError('result', 'The password is empty.');
  const root = await read('', ['supportedCapabilities']);
  const isActiveDirectory = root !== null && valuesOf(root, 'supportedCapabilities').includes(activeDirectory);
  if (!isActiveDirectory) {
    // userIdentity and newPasswd
    const value = encode(0x30, encodeText(dn, 0x80), encodeText(password, 0x82));
    await connection.extended(passwordModify, value, timeoutMs);
    return;
  }
  const modification = new Attribute({ type: 'unicodePwd', values: [Buffer.from(`"${password}"`, 'utf16le')] });
  const changes = [new Change({ operation: 'replace', modification })];
  await connection.request((messageId) => new ModifyRequest({ messageId, dn, changes }), timeoutMs);
}
