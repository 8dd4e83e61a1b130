import { application, ber, context, encode, encodeBoolean, encodeInteger, encodeText } from '../../src/lib/ldap/ber.ts';

// Messages as clients send them, for what the tools of OpenLDAP would not send.

let messages = 0;

const encodeMessage = (operation: Buffer): Buffer => {
  messages += 1;
  return encode(ber.sequence, encodeInteger(messages), operation);
};

export const encodeBind = (name: string, password: string): Buffer =>
  encodeMessage(encode(application, encodeInteger(3), encodeText(name), encodeText(password, context)));

/** A search of the whole tree. */
export const encodeSearch = (base: string, filter: Buffer, attributes: readonly string[] = []): Buffer =>
  encodeMessage(
    encode(
      application | 3,
      encodeText(base),
      encodeInteger(2, ber.enumerated),
      encodeInteger(0, ber.enumerated),
      encodeInteger(0),
      encodeInteger(0),
      encodeBoolean(false),
      filter,
      encode(ber.sequence, ...attributes.map((name) => encodeText(name))),
    ),
  );
